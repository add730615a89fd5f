// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/meeting_place.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/key.h"
#include "runtime/host/kept_plans.h"

namespace triode::tuner {
namespace {

namespace fs = std::filesystem;

// A tuner that is well takes a program in within milliseconds.
constexpr timeval kConnectPatience = {.tv_sec = 5, .tv_usec = 0};

std::string runtime_folder() {
  const char* const given = std::getenv("XDG_RUNTIME_DIR");
  if (given != nullptr && *given == '/') return std::string(given) + "/triode";
  return "/tmp/triode-" + std::to_string(getuid());
}

// Ours alone, whoever made it.
Status make_private_folder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return unavailable("cannot make the folder " + folder + ": " + std::strerror(errno) +
                       "; set XDG_RUNTIME_DIR to a folder of your own");
  }
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != getuid() || (status.st_mode & 077) != 0) {
    return unavailable("the folder " + folder +
                       " is not this user's alone, so that others could pose as the tuner; remove "
                       "it, or set XDG_RUNTIME_DIR to a folder of your own");
  }
  return {};
}

std::string hexadecimal(uint64_t number) {
  std::array<char, 17> text{};
  static_cast<void>(std::snprintf(text.data(), text.size(), "%016lx", number));
  return text.data();
}

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return unsupported("the path " + path + " is too long for a socket; set XDG_RUNTIME_DIR to a " +
                       "folder with a shorter one");
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

Result<FileDescriptor> new_socket() {
  FileDescriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!made.is_open()) {
    return unavailable(std::string("cannot make a socket: ") + std::strerror(errno));
  }
  return made;
}

std::optional<ucred> peer_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer;
}

}  // namespace

Result<MeetingPlace> find_meeting_place(const std::string& cache) {
  const std::string plans = host::kept_plans_path(cache);
  if (plans.empty()) {
    return not_found("there is no folder to keep a cache in; set HOME, or TRIODE_CACHE");
  }
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(plans, error).parent_path(), error);
  if (error) return unavailable("cannot find the folder of " + plans + ": " + error.message());
  const std::string meeting = runtime_folder();
  TRIODE_TRY(make_private_folder(meeting));
  const std::string name = meeting + "/tuner-" + hexadecimal(hash_bytes(folder.string()));
  TRIODE_TRY(address_of(name + ".socket"));
  return MeetingPlace{folder.string(), name + ".socket", name + ".lock"};
}

Result<FileDescriptor> connect_to_tuner(const MeetingPlace& place) {
  const sockaddr_un address = TRIODE_TRY(address_of(place.socket));
  FileDescriptor made = TRIODE_TRY(new_socket());
  // A tuner that is stopped and whose queue is full would else hold its callers for ever.
  (void)::setsockopt(made.number(), SOL_SOCKET, SO_SNDTIMEO, &kConnectPatience,
                     sizeof kConnectPatience);
  int connected = -1;
  do {
    connected = ::connect(made.number(), reinterpret_cast<const sockaddr*>(&address),
                          static_cast<socklen_t>(sizeof address));
  } while (connected != 0 && errno == EINTR);
  if (connected != 0) {
    return unavailable("no tuner answers at " + place.socket + ": " + std::strerror(errno));
  }
  if (!is_of_this_user(made.number())) {
    return unavailable("the process that listens at " + place.socket + " is another user's");
  }
  return made;
}

Result<FileDescriptor> listen_for_hosts(const MeetingPlace& place) {
  const sockaddr_un address = TRIODE_TRY(address_of(place.socket));
  FileDescriptor made = TRIODE_TRY(new_socket());
  ::unlink(place.socket.c_str());  // what is not there need not go
  // What the file will have; a umask would be that of all threads of a program.
  const int allowed = ::fchmod(made.number(), 0600);
  const int bound = ::bind(made.number(), reinterpret_cast<const sockaddr*>(&address),
                           static_cast<socklen_t>(sizeof address));
  if (allowed != 0 || bound != 0 || ::listen(made.number(), SOMAXCONN) != 0) {
    return unavailable("cannot listen at " + place.socket + ": " + std::strerror(errno));
  }
  return made;
}

bool is_of_this_user(int socket) {
  const std::optional<ucred> peer = peer_of(socket);
  return peer && peer->uid == getuid();
}

int64_t process_behind(int socket) {
  const std::optional<ucred> peer = peer_of(socket);
  return peer ? peer->pid : 0;
}

}  // namespace triode::tuner
