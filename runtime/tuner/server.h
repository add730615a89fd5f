// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/status.h"
#include "runtime/host/file_descriptor.h"
#include "runtime/tuner/connection.h"
#include "runtime/tuner/meeting_place.h"
#include "runtime/tuner/messages.h"
#include "runtime/tuner/status_messages.h"
#include "runtime/tuner/tuner.h"

namespace triode::tuner {

struct ServerOptions {
  std::chrono::milliseconds idle_limit = std::chrono::minutes(10);  // without a client
  size_t most_clients = 1024;                                       // beyond, new ones are refused
  // A peer that has not said who it is by then is dropped.
  std::chrono::milliseconds hello_limit = std::chrono::seconds(5);
};

// Speaks with hosts and commands over a listening socket, on the calling thread. A peer that sends
// what makes no sense, or does not read its answers, is refused or dropped, and the others do not
// notice. Peers of other users are refused.
class Server {
 public:
  Server(FileDescriptor listener, Tuner& tuner, ServerOptions options,
         std::function<StatusAnswer()> status);
  // Until end(), a command that says stop, `stop_signal` (a descriptor; -1: none) becomes readable,
  // or nobody has been connected for the idle limit.
  Status run(int stop_signal);

  // Ends run(), from any thread, also one that is yet to begin.
  void end();

  // Hands a verdict to its client, from any thread.
  void deliver(ClientId client, const Verdict& verdict);

 private:
  struct Peer {
    Connection connection;
    std::chrono::steady_clock::time_point since;
    bool is_host = false;  // said Hello
    bool ends = false;     // once all is sent
    int64_t process = 0;   // that said so
    std::string program{};
    bool trusts_model = false;
    bool is_gone = false;
  };

  bool has_stopped() const;
  void accept_all();
  void serve(ClientId id, Peer& peer);
  Status answer(ClientId id, Peer& peer, const Frame& frame);
  StatusAnswer describe() const;
  void refuse(Peer& peer, const std::string& reason);
  void send_verdicts();
  void drop_gone();
  void wake();

  FileDescriptor listener_;
  FileDescriptor wake_;  // eventfd: verdicts wait, or it is to end
  Tuner& tuner_;
  const ServerOptions options_;
  const std::function<StatusAnswer()> status_;
  std::map<ClientId, Peer> peers_;
  ClientId next_id_ = 1;
  bool is_full_ = false;  // no descriptor is left: who comes waits until somebody leaves
  struct ToldToStop {
    ClientId by;
    std::chrono::steady_clock::time_point at_last;
  };
  std::optional<ToldToStop> stop_;
  std::atomic<bool> ends_{false};
  std::chrono::steady_clock::time_point last_peer_;

  std::mutex mutex_;  // guards verdicts_
  std::vector<std::pair<ClientId, Verdict>> verdicts_;
};

}  // namespace triode::tuner
