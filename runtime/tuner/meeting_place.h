// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/status.h"
#include "runtime/host/file_descriptor.h"

namespace triode::tuner {

// Where the hosts of one user find the tuner of one cache: a folder that nobody else can enter, and
// in it a socket and a lock, named after the cache. See docs/adr/0020-one-tuner-per-cache.md.
struct MeetingPlace {
  std::string cache;   // folder of the cache, absolute
  std::string socket;  // path
  std::string lock;    // held by the tuner for as long as it lives
};

// `cache` as in Settings; empty: the user's. The folder is $XDG_RUNTIME_DIR/triode, or
// /tmp/triode-<uid> where that is not set; it is made if it is not there. kUnavailable if it
// belongs to another user or others may enter it, since they could then pose as the tuner;
// kNotFound if no cache folder is known; kUnsupported if the path is too long for a socket.
Result<MeetingPlace> find_meeting_place(const std::string& cache);

// A connected socket. kUnavailable if no tuner listens there, it is not this user's, or it has not
// taken anybody in for seconds.
Result<FileDescriptor> connect_to_tuner(const MeetingPlace& place);

// A socket that listens there, 0600. Only for the holder of the lock: a socket that an earlier
// tuner left is removed.
Result<FileDescriptor> listen_for_hosts(const MeetingPlace& place);

// Whether the process at the other end is of this user.
bool is_of_this_user(int socket);

// That process: who listens there, of a connected socket. 0 if the system does not tell.
int64_t process_behind(int socket);

}  // namespace triode::tuner
