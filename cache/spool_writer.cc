// SPDX-License-Identifier: Apache-2.0
#include "cache/spool_writer.h"

#include "cache/spool_file.h"
#include "cache/spool_frame.h"

namespace triode {

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

}  // namespace triode
