// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "core/status.h"
#include "runtime/host/file_descriptor.h"
#include "runtime/tuner/frame.h"

namespace triode::tuner {

// Frames over a stream socket that never blocks and never raises SIGPIPE. Used by one thread.
class Connection {
 public:
  // Takes the socket and makes it non-blocking.
  Connection(FileDescriptor socket, size_t most_received_bytes);

  // Queues, and sends what the socket takes. kUnavailable if the peer is gone; kResourceExhausted
  // if it has not read for so long that kMostUnsentBytes wait.
  Status send(const Frame& frame);
  // Sends more of what waits.
  Status flush();
  bool has_unsent() const { return !unsent_.empty(); }

  // The next frame, if one has come whole; reads what is there. kUnavailable once the peer is gone
  // and every frame of it was returned; kCorrupt for bytes that are no frames.
  Result<std::optional<Frame>> receive();

  // Waits for one. kUnavailable also if none came in time.
  Result<Frame> receive_within(std::chrono::milliseconds patience);
  // Sends all that waits. kUnavailable also if that took longer.
  Status flush_within(std::chrono::milliseconds patience);

  // Whether an error was for a peer that has closed or died, not for its silence.
  bool is_closed() const { return is_at_end_; }

  int descriptor() const { return socket_.number(); }

 private:
  // What came before the other side went: a refusal says why it did.
  void read_the_rest();
  bool wait(short events, std::chrono::milliseconds patience) const;

  static constexpr size_t kMostUnsentBytes = 2 * kMostAnswerBytes;

  FileDescriptor socket_;
  FrameReader reader_;
  std::string unsent_;
  bool is_at_end_ = false;
};

}  // namespace triode::tuner
