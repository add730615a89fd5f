// SPDX-License-Identifier: Apache-2.0
#include "tools/model/known_models.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "runtime/model/chosen_model.h"
#include "runtime/model/shipped_models.h"
#include "tools/cache/open_cache.h"

namespace triode::model_tool {
namespace {

namespace fs = std::filesystem;

// With fewer digits a beginning is more likely a mistyped name.
constexpr size_t kLeastDigits = 4;

void take_snapshot(Result<Snapshot> read, KnownModel& model) {
  if (!read.ok()) {
    model.damage = read.status().message();
    return;
  }
  model.digest = snapshot_digest(*read);
  model.snapshot = std::move(read).take();
}

KnownModel model_of_file(const std::string& path, Source source) {
  KnownModel model;
  model.source = source;
  model.path = path;
  std::error_code ignored;  // a file that cannot be looked at cannot be read either
  const uintmax_t size = fs::file_size(path, ignored);
  if (!ignored) model.size_bytes = static_cast<int64_t>(size);
  take_snapshot(load_snapshot(path), model);
  return model;
}

Result<Snapshot> stored_snapshot(const ModelStore& store, const std::string& digest) {
  const std::optional<std::string> bytes = TRIODE_TRY(store.snapshot(digest));
  if (!bytes) return not_found("the cache has its entry, but not its bytes");
  return read_snapshot(*bytes);
}

KnownModel model_of_entry(const ModelStore& store, const ModelEntry& entry) {
  KnownModel model;
  model.digest = model.stored = entry.digest;
  model.size_bytes = entry.size_bytes;
  model.made_unix_s = entry.made_unix_s;
  model.notes = entry.notes;
  take_snapshot(stored_snapshot(store, entry.digest), model);
  return model;
}

Status add_stored(const ModelStore& store, std::vector<KnownModel>& models) {
  for (const ModelEntry& entry : TRIODE_TRY(store.list())) {
    models.push_back(model_of_entry(store, entry));
    const std::optional<std::string> promoted = TRIODE_TRY(store.promoted(entry.family));
    models.back().is_promoted = promoted && *promoted == entry.digest;
  }
  return {};
}

// What new processes use: a promoted model that can be read, else the shipped one.
void mark_in_force(const std::string& shipped_folder, std::vector<KnownModel>& models) {
  for (const DeviceKind kind : {DeviceKind::kCpu, DeviceKind::kGpu}) {
    const auto is_usable = [&](const KnownModel& model) {
      return model.is_promoted && model.snapshot && model.snapshot->kind == kind;
    };
    const std::string shipped = shipped_path(shipped_folder, shipped_name(kind));
    auto chosen = std::find_if(models.begin(), models.end(), is_usable);
    if (chosen == models.end()) {
      chosen = std::find_if(models.begin(), models.end(), [&](const KnownModel& model) {
        return model.source == Source::kShipped && model.path == shipped && model.snapshot;
      });
    }
    if (chosen != models.end()) chosen->is_in_force = true;
  }
}

bool is_beginning(const std::string& word, const std::string& digest) {
  return word.size() >= kLeastDigits && digest.starts_with(word);
}

}  // namespace

std::string_view to_string(Source source) {
  switch (source) {
    case Source::kCache:
      return "cache";
    case Source::kShipped:
      return "shipped";
    case Source::kFile:
      break;
  }
  return "file";
}

Result<std::vector<KnownModel>> known_models(const Cache* cache,
                                             const std::string& shipped_folder) {
  std::vector<KnownModel> models;
  for (const std::string& path : shipped_models(shipped_folder)) {
    models.push_back(model_of_file(path, Source::kShipped));
  }
  if (cache != nullptr) TRIODE_TRY(add_stored(cache->models(), models));
  mark_in_force(shipped_folder, models);
  return models;
}

Result<KnownModel> find_model(const std::string& word, std::vector<KnownModel> known) {
  // As find_snapshot: a shipped name goes before a file that happens to be called so.
  for (KnownModel& model : known) {
    if (model.source == Source::kShipped && fs::path(model.path).stem() == word) {
      return std::move(model);
    }
  }
  std::error_code ignored;
  if (fs::is_regular_file(word, ignored)) return model_of_file(word, Source::kFile);
  std::vector<KnownModel> matching;
  std::copy_if(std::make_move_iterator(known.begin()), std::make_move_iterator(known.end()),
               std::back_inserter(matching),
               [&](const KnownModel& model) { return is_beginning(word, model.digest); });
  if (matching.empty()) {
    return not_found("no model is called '" + word +
                     "': no such file, shipped model or digest of " +
                     "four digits or more; 'triode model ls' lists them");
  }
  // A shipped model that was promoted is in the cache too: the same model, wherever it lies.
  for (const KnownModel& model : matching) {
    if (model.digest != matching.front().digest) {
      return invalid_argument("several models begin with '" + word + "'; give more digits");
    }
  }
  return std::move(matching.back());
}

Result<std::unique_ptr<Cache>> open_if_there(const std::string& path) {
  Result<std::unique_ptr<Cache>> opened = cache_tool::open_to_read(path);
  if (!opened.ok() && opened.status().code() == StatusCode::kNotFound) {
    return std::unique_ptr<Cache>();
  }
  return opened;
}

}  // namespace triode::model_tool
