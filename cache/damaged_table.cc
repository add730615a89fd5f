// SPDX-License-Identifier: Apache-2.0
#include "cache/damaged_table.h"

#include <rocksdb/db.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "cache/database_errors.h"
#include "cache/database_options.h"
#include "cache/families.h"
#include "cache/store_options.h"

namespace triode {
namespace {

namespace fs = std::filesystem;

// Behind every block: the kind of its compression, and its checksum.
constexpr size_t kTrailerBytes = 5;
constexpr std::string_view kDescriptionName = "rocksdb.properties";
constexpr std::string_view kRecordsName = "rocksdb.num.entries";
constexpr std::string_view kFamilyName = "rocksdb.column.family.name";

struct Place {
  size_t at = 0;
  size_t size = 0;
};

std::string bytes_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// A number in groups of seven bits, lowest first, from `at` on, which goes behind it.
uint64_t read_number(std::string_view bytes, size_t& at) {
  uint64_t number = 0;
  for (int shift = 0; at < bytes.size() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    number |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) break;
  }
  return number;
}

// Where the description is: named, near the table's end, with its place behind the name.
std::optional<Place> description_in(std::string_view table) {
  size_t at = table.rfind(kDescriptionName);
  if (at == std::string_view::npos) return std::nullopt;
  at += kDescriptionName.size();
  Place place;
  place.at = read_number(table, at);
  place.size = read_number(table, at);
  const bool is_inside = place.at < table.size() && place.size < table.size() &&
                         place.at + place.size + kTrailerBytes <= table.size();
  return is_inside && place.size > 0 ? std::optional(place) : std::nullopt;
}

// What a description says, as far as it can be read: of each name, how much it shares with the one
// before, how long its rest and its value are, and these.
std::map<std::string, std::string> read_description(std::string_view block) {
  std::map<std::string, std::string> values;
  std::string name;
  for (size_t at = 0; at < block.size();) {
    const uint64_t shared = read_number(block, at);
    const uint64_t rest = read_number(block, at);
    const uint64_t length = read_number(block, at);
    const size_t left = block.size() - at;
    if (shared > name.size() || rest == 0 || rest > left || length > left - rest) break;
    name = name.substr(0, shared) + std::string(block.substr(at, rest));
    values[name] = block.substr(at + rest, length);
    at += rest + length;
  }
  return values;
}

// Makes a description longer: by an entry of a name and a value that mean nothing.
class Padding final : public rocksdb::TablePropertiesCollector,
                      public rocksdb::TablePropertiesCollectorFactory {
 public:
  Padding(size_t name_bytes, size_t value_bytes) : name_bytes_(name_bytes), bytes_(value_bytes) {}
  const char* Name() const override { return "z"; }
  rocksdb::Status Finish(rocksdb::UserCollectedProperties* entries) override {
    (*entries)[std::string(name_bytes_, 'z')] = std::string(bytes_, ' ');
    return rocksdb::Status::OK();
  }
  rocksdb::UserCollectedProperties GetReadableProperties() const override { return {}; }
  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(Context) override {
    return new Padding(name_bytes_, bytes_);  // RocksDB deletes it
  }

 private:
  const size_t name_bytes_;
  const size_t bytes_;
};

rocksdb::Status write_one_table(const std::string& folder, std::shared_ptr<Padding> padding) {
  rocksdb::Options options = database_options(StoreOptions{});
  options.db_host_id = "";  // every byte less is a table more that there is room for
  options.table_properties_collector_factories.push_back(std::move(padding));
  rocksdb::DB* opened = nullptr;
  rocksdb::Status status = rocksdb::DB::Open(options, folder, &opened);
  if (!status.ok()) return status;
  const std::unique_ptr<rocksdb::DB> db(opened);
  status = db->Put({}, "a", "b");
  return status.ok() ? db->Flush({}) : status;
}

// The description of a sound table with its trailer, padded so.
Result<std::string> sound_description(const std::string& scratch,
                                      std::shared_ptr<Padding> padding) {
  const rocksdb::Status status = write_one_table(scratch, std::move(padding));
  if (!status.ok()) return explain_database("make", scratch, status);
  std::string description;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(scratch, error)) {
    if (entry.path().extension() != ".sst") continue;
    const std::string table = bytes_of(entry.path());
    if (const std::optional<Place> place = description_in(table)) {
      description = table.substr(place->at, place->size + kTrailerBytes);
    }
  }
  fs::remove_all(scratch, error);
  return description;
}

// One of exactly this size; empty if there is none. A value of 128 bytes takes two bytes for its
// length, so a size can be out of reach with one name, but not with another.
Result<std::string> description_of_size(const std::string& scratch, size_t size) {
  for (const size_t name_bytes : {1, 2}) {
    int64_t padding = 0;
    for (int attempt = 0; attempt < 3 && padding >= 0; ++attempt) {
      std::string made = TRIODE_TRY(sound_description(
          scratch, std::make_shared<Padding>(name_bytes, static_cast<size_t>(padding))));
      if (made.size() == size) return made;
      padding += static_cast<int64_t>(size) - static_cast<int64_t>(made.size());
    }
  }
  return std::string();
}

}  // namespace

bool opens(const std::string& file) {
  rocksdb::SstFileReader reader(database_options({.mode = StoreMode::kReadOnly}));
  return reader.Open(file).ok();
}

Result<bool> mend_description(const std::string& file, const std::string& scratch) {
  std::string table = bytes_of(file);
  const std::optional<Place> place = description_in(table);
  if (!place) return false;
  const size_t size = place->size + kTrailerBytes;
  const std::string sound = TRIODE_TRY(description_of_size(scratch, size));
  if (sound.empty()) return false;
  table.replace(place->at, size, sound);
  const std::string mended = scratch + ".sst";
  std::error_code error;
  std::ofstream stream(mended, std::ios::binary);
  const bool is_mended = stream.write(table.data(), static_cast<std::streamsize>(table.size())) &&
                         stream.flush() && opens(mended);
  if (is_mended) fs::rename(mended, file, error);
  if (is_mended && !error) return true;
  std::error_code ignored;  // nothing reads it
  fs::remove(mended, ignored);
  return false;
}

std::string what_is_in(const std::string& file) {
  const std::string table = bytes_of(file);
  std::map<std::string, std::string> values;
  if (const std::optional<Place> place = description_in(table)) {
    values = read_description(std::string_view(table).substr(place->at, place->size));
  }
  const auto records = values.find(std::string(kRecordsName));
  const auto family = values.find(std::string(kFamilyName));
  size_t at = 0;
  const std::string count = records == values.end()
                                ? "an unknown number of"
                                : std::to_string(read_number(records->second, at));
  const bool is_ours = family != values.end() && std::find(kFamilyNames.begin(), kFamilyNames.end(),
                                                           family->second) != kFamilyNames.end();
  return count + " records of " + (is_ours ? family->second : "an unknown family");
}

}  // namespace triode
