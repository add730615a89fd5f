// SPDX-License-Identifier: Apache-2.0
#include "tests/cache/raw_database.h"

#include <rocksdb/db.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>

namespace triode {
namespace {

void require(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::cerr << "RocksDB, used by the test: " << status.ToString() << std::endl;
  std::abort();
}

using Act = std::function<rocksdb::Status(rocksdb::DB&, rocksdb::ColumnFamilyHandle*)>;

// Opens every family of the database, since RocksDB insists, and hands over the one named.
void with_family(const std::string& path, const std::string& family, const Act& act) {
  std::vector<std::string> names;
  require(rocksdb::DB::ListColumnFamilies({}, path, &names));
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  descriptors.reserve(names.size());
  for (const std::string& name : names) {
    descriptors.emplace_back(name, rocksdb::ColumnFamilyOptions());
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  require(rocksdb::DB::Open({}, path, descriptors, &handles, &opened));
  const std::unique_ptr<rocksdb::DB> db(opened);
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    if (handle->GetName() == family) require(act(*db, handle));
  }
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    require(db->DestroyColumnFamilyHandle(handle));
  }
}

}  // namespace

void raw_create(const std::string& path) {
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* opened = nullptr;
  require(rocksdb::DB::Open(options, path, &opened));
  delete opened;
}

void raw_add_family(const std::string& path, const std::string& family) {
  with_family(path, "default", [&](rocksdb::DB& db, rocksdb::ColumnFamilyHandle*) {
    rocksdb::ColumnFamilyHandle* made = nullptr;
    const rocksdb::Status status = db.CreateColumnFamily({}, family, &made);
    return status.ok() ? db.DestroyColumnFamilyHandle(made) : status;
  });
}

void raw_put(const std::string& path, const std::string& family, const std::string& key,
             const std::string& value) {
  with_family(path, family, [&](rocksdb::DB& db, rocksdb::ColumnFamilyHandle* handle) {
    return db.Put({}, handle, key, value);
  });
}

std::string raw_get(const std::string& path, const std::string& family, const std::string& key) {
  std::string value;
  with_family(path, family, [&](rocksdb::DB& db, rocksdb::ColumnFamilyHandle* handle) {
    return db.Get({}, handle, key, &value);
  });
  return value;
}

void raw_delete(const std::string& path, const std::string& family, const std::string& key) {
  with_family(path, family, [&](rocksdb::DB& db, rocksdb::ColumnFamilyHandle* handle) {
    return db.Delete({}, handle, key);
  });
}

std::vector<std::string> raw_keys(const std::string& path, const std::string& family) {
  std::vector<std::string> keys;
  with_family(path, family, [&](rocksdb::DB& db, rocksdb::ColumnFamilyHandle* handle) {
    const std::unique_ptr<rocksdb::Iterator> at(db.NewIterator({}, handle));
    for (at->SeekToFirst(); at->Valid(); at->Next()) keys.push_back(at->key().ToString());
    return at->status();
  });
  return keys;
}

void flip_byte(const std::string& file, int64_t position) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(position, position < 0 ? std::ios::end : std::ios::beg);
  const auto place = stream.tellg();
  const int byte = stream.get();
  stream.seekp(place);
  stream.put(static_cast<char>(byte ^ 0x55));
  if (!stream) {
    std::cerr << "the test cannot change " << file << std::endl;
    std::abort();
  }
}

std::vector<std::string> files_ending(const std::string& path, const std::string& ending) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().string().ends_with(ending)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void raw_flush(const std::string& path) {
  with_family(path, "measurements", [](rocksdb::DB& db, rocksdb::ColumnFamilyHandle* handle) {
    return db.Flush({}, handle);
  });
}

std::vector<std::string> folder_contents(const std::string& path) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    files.push_back(entry.path().filename().string() + ": " + bytes);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace triode
