// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace triode::bench {

// Instructions of one intercepted call that a kernel of Triode answers.
struct CallSteps {
  std::int64_t before_kernel = 0;  // from the entry point on, the jump into the kernel included
  std::int64_t kernel = 0;         // its return included
  std::int64_t after_kernel = 0;

  bool operator==(const CallSteps&) const = default;
};

// Addresses from `begin` to before `end`.
struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// The executable parts of a process that lie in no file, from the text of its /proc/PID/maps: code
// that was made at run time.
std::vector<AddressRange> generated_code(std::string_view maps);

// Those that lie in files whose name, without the folder, begins with one of these.
std::vector<AddressRange> code_of_files(std::string_view maps,
                                        std::span<const std::string_view> names);

// Splits the instructions of a thread, seen one by one, into calls of a function and their parts.
class CallTrace {
 public:
  // `entry` is where the function begins, `kernels` where kernels lie.
  CallTrace(std::uint64_t entry, std::span<const AddressRange> kernels)
      : entry_(entry), kernels_(kernels.begin(), kernels.end()) {}

  // The thread is about to execute the instruction at `address`; `top_of_stack` is the word there,
  // at the entry of a function its return address.
  void about_to_execute(std::uint64_t address, std::uint64_t top_of_stack);

  // The calls that have returned.
  const std::vector<CallSteps>& calls() const { return calls_; }

 private:
  bool is_kernel(std::uint64_t address) const;

  std::uint64_t entry_;
  std::vector<AddressRange> kernels_;
  bool is_in_call_ = false;
  std::uint64_t return_address_ = 0;  // of the call that is under way
  CallSteps steps_;                   // of that call
  std::vector<CallSteps> calls_;
};

}  // namespace triode::bench
