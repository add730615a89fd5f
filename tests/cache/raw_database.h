// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace triode {

// What others do to a store's folder: RocksDB used directly. Each call opens, acts and closes, and
// ends the test if RocksDB refuses.
void raw_create(const std::string& path);  // a database with nothing but the default family
void raw_add_family(const std::string& path, const std::string& family);
void raw_put(const std::string& path, const std::string& family, const std::string& key,
             const std::string& value);
std::string raw_get(const std::string& path, const std::string& family, const std::string& key);
void raw_delete(const std::string& path, const std::string& family, const std::string& key);
std::vector<std::string> raw_keys(const std::string& path, const std::string& family);
void raw_flush(const std::string& path);  // moves all records from the log to table files

// Changes one byte of a file, `position` from its beginning or, if negative, from its end.
void flip_byte(const std::string& file, int64_t position);

// The files of the folder whose names end so, in order.
std::vector<std::string> files_ending(const std::string& path, const std::string& ending);

// The folder's files, each as its name and contents, in order.
std::vector<std::string> folder_contents(const std::string& path);

}  // namespace triode
