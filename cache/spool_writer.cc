// SPDX-License-Identifier: Apache-2.0
#include "cache/spool_writer.h"

#include <algorithm>

#include "cache/spool_file.h"
#include "cache/spool_frame.h"

namespace triode {
namespace {

// Of a spool's file of its own: some megabytes, which who takes it in holds twice.
constexpr size_t kTrialsPerFrame = 8192;

}  // namespace

Status append_to_spool(const std::string& path, std::span<const KeyedTrial> trials) {
  if (trials.empty()) return {};
  const std::string frame = TRIODE_TRY(encode_frame(trials));
  if (frame.size() > kMostSpoolBytes) {
    return invalid_argument("cannot spool " + std::to_string(frame.size()) +
                            " bytes of trials at once; append fewer");
  }
  SpoolFile file = TRIODE_TRY(SpoolFile::open_to_append(path));
  if (static_cast<size_t>(file.size_bytes()) + frame.size() > kMostSpoolBytes) {
    return resource_exhausted("the spool of the cache " + path +
                              " is full; run `triode cache compact`, which takes it in");
  }
  return file.append(frame);
}

Status spool_apart(const std::string& path, std::span<const KeyedTrial> trials) {
  if (trials.empty()) return {};
  SpoolFile file = TRIODE_TRY(SpoolFile::make_claimed(path));
  while (!trials.empty()) {
    const auto some = trials.first(std::min(trials.size(), kTrialsPerFrame));
    const Result<std::string> frame = encode_frame(some);
    const Status status = frame.ok() ? file.append(*frame) : frame.status();
    if (!status.ok()) {
      file.remove();
      return status;
    }
    trials = trials.subspan(some.size());
  }
  return {};
}

}  // namespace triode
