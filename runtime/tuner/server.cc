// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "triode_version.h"

namespace triode::tuner {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// How often time limits are looked at; and how long one who says stop may take to read its answer.
constexpr milliseconds kTick(1000);

// Peers are served in turns of so many messages, so that a flood of one does not keep the others.
constexpr int kMessagesPerTurn = 64;

MessageType type_of(const Frame& frame) {
  return static_cast<MessageType>(frame.type);
}

}  // namespace

Server::Server(FileDescriptor listener, Tuner& tuner, ServerOptions options,
               std::function<StatusAnswer()> status)
    : listener_(std::move(listener)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      tuner_(tuner),
      options_(options),
      status_(std::move(status)),
      last_peer_(steady_clock::now()) {
  const int flags = fcntl(listener_.number(), F_GETFL);
  (void)fcntl(listener_.number(), F_SETFL, flags | O_NONBLOCK);
}

Status Server::run(int stop_signal) {
  if (!wake_.is_open()) return unavailable("no descriptor is left for the tuner");
  while (!has_stopped()) {
    std::vector<pollfd> watched = {{is_full_ ? -1 : listener_.number(), POLLIN, 0},
                                   {wake_.number(), POLLIN, 0},
                                   {stop_signal, POLLIN, 0}};
    std::vector<ClientId> ids;
    for (const auto& [id, peer] : peers_) {
      const short out = peer.connection.has_unsent() ? POLLOUT : 0;
      watched.push_back({peer.connection.descriptor(), static_cast<short>(POLLIN | out), 0});
      ids.push_back(id);
    }
    const int ready = ::poll(watched.data(), watched.size(), static_cast<int>(kTick.count()));
    if (ready < 0 && errno != EINTR) return unavailable(std::strerror(errno));
    if (watched[2].revents != 0) return {};
    if (watched[1].revents != 0) send_verdicts();
    for (size_t i = 0; i < ids.size(); ++i) {
      if (watched[i + 3].revents != 0) serve(ids[i], peers_.at(ids[i]));
    }
    // After a tick, too: others may have let go of descriptors.
    if (watched[0].revents != 0 || (is_full_ && ready == 0)) accept_all();
    drop_gone();
    if (!peers_.empty()) last_peer_ = steady_clock::now();
    if (steady_clock::now() - last_peer_ >= options_.idle_limit) return {};
  }
  return {};
}

void Server::end() {
  ends_ = true;
  wake();
}

void Server::wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.number(), &one, sizeof one);
}

// Not before the one whose command it is has its answer, unless it does not read it.
bool Server::has_stopped() const {
  if (ends_) return true;
  if (!stop_) return false;
  const auto peer = peers_.find(stop_->by);
  const bool waits = peer != peers_.end() && peer->second.connection.has_unsent();
  return !waits || steady_clock::now() >= stop_->at_last;
}

void Server::accept_all() {
  for (;;) {
    FileDescriptor socket(::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.is_open()) {
      is_full_ = errno == EMFILE || errno == ENFILE;
      return;
    }
    const bool is_ours = is_of_this_user(socket.number());
    Peer& peer = peers_
                     .emplace(next_id_++, Peer{.connection = {std::move(socket), kMostRequestBytes},
                                               .since = steady_clock::now()})
                     .first->second;
    if (!is_ours) refuse(peer, "this tuner serves another user");
    if (peers_.size() > options_.most_clients) refuse(peer, "this tuner has too many clients");
  }
}

void Server::refuse(Peer& peer, const std::string& reason) {
  (void)peer.connection.send(to_frame(Refusal{reason}));  // whether or not it hears
  peer.ends = true;
}

void Server::serve(ClientId id, Peer& peer) {
  if (!peer.connection.flush().ok()) peer.is_gone = true;
  for (int i = 0; i < kMessagesPerTurn && !peer.ends && !peer.is_gone; ++i) {
    const auto frame = peer.connection.receive();
    if (!frame.ok()) {
      if (frame.status().code() == StatusCode::kCorrupt) {
        refuse(peer, frame.status().message());
      } else {
        peer.is_gone = true;
      }
      return;
    }
    if (!frame->has_value()) return;
    const Status answered = answer(id, peer, **frame);
    if (!answered.ok()) refuse(peer, answered.message());
  }
}

Status Server::answer(ClientId id, Peer& peer, const Frame& frame) {
  switch (type_of(frame)) {
    case MessageType::kHello: {
      if (peer.is_host) return corrupt("a second hello came");
      const Hello hello = TRIODE_TRY(from_frame<Hello>(frame));
      peer.is_host = true;
      peer.process = hello.process;
      peer.program = hello.program;
      peer.trusts_model = hello.trusts_model;
      TRIODE_TRY(peer.connection.send(to_frame(Welcome{std::string(kVersion), getpid()})));
      for (Plans& plans : in_messages(tuner_.join(id, hello))) {
        TRIODE_TRY(peer.connection.send(to_frame(std::move(plans))));
      }
      return {};
    }
    case MessageType::kControl: {
      const Control control = TRIODE_TRY(from_frame<Control>(frame));
      TRIODE_TRY(peer.connection.send(to_frame(describe())));
      if (control.stops && !stop_) stop_ = {id, steady_clock::now() + kTick};
      return {};
    }
    default:
      break;
  }
  TRIODE_TRY(check_frame(frame, frame.type));
  if (!peer.is_host) return corrupt("a message came before any hello");
  if (type_of(frame) == MessageType::kReports) {
    tuner_.report(id, TRIODE_TRY(from_frame<Reports>(frame)));
    return {};
  }
  tuner_.withdraw(id, TRIODE_TRY(from_frame<Withdrawal>(frame)));
  return {};
}

StatusAnswer Server::describe() const {
  StatusAnswer status = status_();
  for (const auto& [id, host] : peers_) {
    if (!host.is_host) continue;
    const ProblemBoard::ClientTotal total = tuner_.total_of(id);
    status.clients.push_back(
        {host.process, host.program, host.trusts_model, total.problems, total.use});
  }
  return status;
}

void Server::deliver(ClientId client, const Verdict& verdict) {
  {
    const std::lock_guard lock(mutex_);
    verdicts_.emplace_back(client, verdict);
  }
  wake();
}

void Server::send_verdicts() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t drained = ::read(wake_.number(), &count, sizeof count);
  std::vector<std::pair<ClientId, Verdict>> verdicts;
  {
    const std::lock_guard lock(mutex_);
    verdicts.swap(verdicts_);
  }
  for (const auto& [client, verdict] : verdicts) {
    const auto peer = peers_.find(client);
    if (peer == peers_.end() || peer->second.ends) continue;
    if (!peer->second.connection.send(to_frame(verdict)).ok()) peer->second.is_gone = true;
  }
}

void Server::drop_gone() {
  for (auto peer = peers_.begin(); peer != peers_.end();) {
    Peer& state = peer->second;
    const bool is_late =
        !state.is_host && steady_clock::now() - state.since >= options_.hello_limit;
    const bool has_ended = state.ends && !state.connection.has_unsent();
    if (!state.is_gone && !is_late && !has_ended) {
      ++peer;
      continue;
    }
    if (state.is_host) tuner_.leave(peer->first);
    peer = peers_.erase(peer);
    is_full_ = false;
  }
}

}  // namespace triode::tuner
