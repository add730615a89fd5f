// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/connection.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace triode::tuner {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Status peer_is_gone(int error) {
  return unavailable(std::string("the other side is gone") +
                     (error == 0 ? "" : std::string(": ") + std::strerror(error)));
}

bool would_block(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

milliseconds until(steady_clock::time_point end) {
  return std::chrono::ceil<milliseconds>(end - steady_clock::now());
}

}  // namespace

Connection::Connection(FileDescriptor socket, size_t most_received_bytes)
    : socket_(std::move(socket)), reader_(most_received_bytes) {
  // Fails only for what is no descriptor; reads fail then, too.
  const int flags = fcntl(socket_.number(), F_GETFL);
  (void)fcntl(socket_.number(), F_SETFL, flags | O_NONBLOCK);
}

Status Connection::send(const Frame& frame) {
  unsent_ += to_bytes(frame);
  TRIODE_TRY(flush());
  if (unsent_.size() > kMostUnsentBytes) return resource_exhausted("the other side does not read");
  return {};
}

Status Connection::flush() {
  size_t sent = 0;
  int error = 0;
  while (sent < unsent_.size()) {
    const ssize_t count =
        ::send(socket_.number(), unsent_.data() + sent, unsent_.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      error = errno;
      break;
    }
    sent += static_cast<size_t>(count);
  }
  unsent_.erase(0, sent);
  if (error == 0 || would_block(error)) return {};
  read_the_rest();
  return peer_is_gone(error);
}

void Connection::read_the_rest() {
  std::array<char, 16384> buffer;
  ssize_t count = 0;
  do {
    count = ::recv(socket_.number(), buffer.data(), buffer.size(), 0);
    if (count > 0) reader_.feed({buffer.data(), static_cast<size_t>(count)});
  } while (count > 0 || (count < 0 && errno == EINTR));
  is_at_end_ = true;
}

Result<std::optional<Frame>> Connection::receive() {
  std::array<char, 16384> buffer;
  for (;;) {
    std::optional<Frame> frame = TRIODE_TRY(reader_.next());
    if (frame) return frame;
    if (is_at_end_) return peer_is_gone(0);
    const ssize_t count = ::recv(socket_.number(), buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && would_block(errno)) return std::optional<Frame>();
    if (count < 0) {
      is_at_end_ = true;
      return peer_is_gone(errno);
    }
    is_at_end_ = count == 0;
    reader_.feed({buffer.data(), static_cast<size_t>(count)});
  }
}

bool Connection::wait(short events, milliseconds patience) const {
  pollfd watched{socket_.number(), events, 0};
  return ::poll(&watched, 1, static_cast<int>(patience.count())) > 0;
}

Result<Frame> Connection::receive_within(milliseconds patience) {
  const auto end = steady_clock::now() + patience;
  for (;;) {
    std::optional<Frame> frame = TRIODE_TRY(receive());
    if (frame) return std::move(*frame);
    const milliseconds left = until(end);
    if (left.count() <= 0) {
      return unavailable("no answer came within " + std::to_string(patience.count()) + " ms");
    }
    (void)wait(POLLIN, left);
  }
}

Status Connection::flush_within(milliseconds patience) {
  const auto end = steady_clock::now() + patience;
  for (;;) {
    TRIODE_TRY(flush());
    if (!has_unsent()) return {};
    const milliseconds left = until(end);
    if (left.count() <= 0) return unavailable("the other side does not read");
    (void)wait(POLLOUT, left);
  }
}

}  // namespace triode::tuner
