// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/status.h"
#include "core/target.h"
#include "runtime/host/plan_file.h"
#include "runtime/host/raw_call.h"
#include "runtime/tuner/byte_codec.h"
#include "runtime/tuner/frame.h"

namespace triode::tuner {

// What hosts, control commands and the tuner say to each other.
//
//   host:   Hello                 Reports, Reports, ...             (closes)
//   tuner:         Welcome, Plans ...                 Verdicts ...
//
// Numbers are for good: a type that goes leaves a hole.
enum class MessageType : uint16_t {
  kRefusal = 1,  // the same in every version: one text
  kHello = 2,
  kWelcome = 3,
  kPlans = 4,
  kReports = 5,
  kVerdict = 6,
  kWithdrawal = 7,
  kControl = 8,
  kStatus = 9,
};

// The tuner will not talk to this peer, and closes.
struct Refusal {
  static constexpr MessageType kType = MessageType::kRefusal;
  std::string reason;
  template <typename Codec>
  void fields(Codec& codec) {
    codec(reason);
  }
};

// First message of a host. The target decides which plans it gets and who measures for it.
struct Hello {
  static constexpr MessageType kType = MessageType::kHello;
  std::string version;  // of Triode
  int64_t process = 0;
  std::string program;  // its file, for status
  Target target;
  // A call that nothing was timed for is answered by the model's choice, once that was checked.
  bool trusts_model = false;
  template <typename Codec>
  void fields(Codec& codec) {
    codec(version, process, program, target.device, target.isa, target.toolchain, target.driver,
          target.cores, target.l1_bytes, target.l2_bytes, target.l3_bytes, trusts_model);
  }
};

struct Welcome {
  static constexpr MessageType kType = MessageType::kWelcome;
  std::string version;
  int64_t process = 0;
  template <typename Codec>
  void fields(Codec& codec) {
    codec(version, process);
  }
};

// StoredPlan as it travels: the problem as text.
struct SentPlan {
  std::string problem;
  std::string config;
  std::string vendor;
  uint64_t code_digest = 0;
  double speedup = 0;
  double vendor_ns = 0;
  double plan_ns = 0;
  std::string code = {};  // of a plan on a GPU, in a verdict: a CudaProgram; else empty
  template <typename Codec>
  void fields(Codec& codec) {
    codec(problem, config, vendor, code_digest, speedup, vendor_ns, plan_ns, code);
  }

  // Else it is the choice of a model, for those who trust it.
  bool is_timed() const { return speedup > 0; }

  static SentPlan from(const StoredPlan& plan);
  // kCorrupt for what no tuner sends: a problem that is none, figures that are not finite.
  Result<StoredPlan> to_stored() const;
};

// Plans that are known for the target of Hello, before any report: all of them, in one message or
// more.
struct Plans {
  static constexpr MessageType kType = MessageType::kPlans;
  std::vector<SentPlan> plans;
  bool has_more = false;  // another such message follows
  template <typename Codec>
  void fields(Codec& codec) {
    codec(plans, has_more);
  }
};

// The same plans in messages that a reader takes, however many there are: at least one.
std::vector<Plans> in_messages(Plans plans);

// An exact call, so that another process can make it: the caller's arguments, and the function that
// serves it now.
struct VendorCall {
  host::CallKey key;     // the bits of the vendor in its traits say nothing and are 0
  std::string symbol;    // its name; the number in the traits is the sender's
  std::string library;   // file of the vendor
  std::string identity;  // LoadedObject::identity() of it: file name and build id
  int32_t threads = 1;   // that the vendor may use for it; a plan's are the key's
  // Of a call on a GPU, else empty: the file of its driver, and the device's uuid.
  std::string gpu_driver = {};
  std::string gpu_device = {};

  bool operator==(const VendorCall&) const = default;
  template <typename Codec>
  void fields(Codec& codec) {
    codec(key.m, key.n, key.k, key.lda, key.ldb, key.ldc, key.traits, key.batch, key.a_stride,
          key.b_stride, key.c_stride, symbol, library, identity, threads, gpu_driver, gpu_device);
  }
  // What plans against it are kept under.
  std::string vendor() const { return identity + ' ' + symbol; }
};

// Calls in programs, and what they took.
struct CallFigures {
  uint64_t vendor_calls = 0;
  double vendor_ns = 0;  // all of them together
  uint64_t plan_calls = 0;
  double plan_ns = 0;

  double total_ns() const { return vendor_ns + plan_ns; }
  CallFigures& operator+=(const CallFigures& other);
  bool operator==(const CallFigures&) const = default;
  template <typename Codec>
  void fields(Codec& codec) {
    codec(vendor_calls, vendor_ns, plan_calls, plan_ns);
  }
};

// A call that takes time, and what it has cost in this process so far. A later report of the same
// id replaces the figures.
struct ProblemReport {
  int64_t id = 0;  // the host's own
  VendorCall call;
  CallFigures use;
  bool wants_plan = true;  // false: it was decided who answers; the figures are for status alone
  template <typename Codec>
  void fields(Codec& codec) {
    codec(id, call, use, wants_plan);
  }
};

struct Reports {
  static constexpr MessageType kType = MessageType::kReports;
  std::vector<ProblemReport> reports;
  template <typename Codec>
  void fields(Codec& codec) {
    codec(reports);
  }
};

// What became of one reported call. Empty plan: the vendor stays. A later one of the same id
// replaces it: the model's choice comes before it was timed (its speedup is then 0).
struct Verdict {
  static constexpr MessageType kType = MessageType::kVerdict;
  int64_t id = 0;
  std::vector<SentPlan> plan;  // one or none
  std::string remark;          // why, where that is not plain
  template <typename Codec>
  void fields(Codec& codec) {
    codec(id, plan, remark);
  }
};

// A plan turned out slower in the program than the vendor: it is forgotten and looked for anew. It
// is named, since by now the tuner may have another for the call.
struct Withdrawal {
  static constexpr MessageType kType = MessageType::kWithdrawal;
  int64_t id = 0;
  VendorCall call;
  uint64_t code_digest = 0;  // of the plan
  double plan_ns = 0;        // means in the program
  double vendor_ns = 0;
  template <typename Codec>
  void fields(Codec& codec) {
    codec(id, call, code_digest, plan_ns, vendor_ns);
  }
};

template <typename Message>
Frame to_frame(Message message) {
  ByteWriter writer;
  message.fields(writer);
  return {kProtocolVersion, static_cast<uint16_t>(Message::kType), std::move(writer).take()};
}

// kUnsupported for another version, with both numbers; kCorrupt for another type or for bytes that
// make no sense.
Status check_frame(const Frame& frame, uint16_t expected_type);

template <typename Message>
Result<Message> from_frame(const Frame& frame) {
  TRIODE_TRY(check_frame(frame, static_cast<uint16_t>(Message::kType)));
  Message message;
  ByteReader reader(frame.payload);
  reader(message);
  TRIODE_TRY(reader.finish());
  return message;
}

}  // namespace triode::tuner
