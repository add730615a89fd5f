// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/answering_code.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <bit>

namespace triode::bench {
namespace {

// What the signal handler works on: one operand at a time.
struct Watched {
  char* begin = nullptr;
  std::size_t bytes = 0;
  const void* visitor = nullptr;  // the first instruction that touched it
  struct sigaction before = {};
};
Watched watched;

void note_visitor(int, siginfo_t* signal, void* context) {
  const auto* const address = static_cast<const char*>(signal->si_addr);
  if (address < watched.begin || address >= watched.begin + watched.bytes) {
    sigaction(SIGSEGV, &watched.before, nullptr);  // not ours: it comes again, to whom it belongs
    return;
  }
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  watched.visitor = std::bit_cast<const void*>(registers[REG_RIP]);
  mprotect(watched.begin, watched.bytes, PROT_READ | PROT_WRITE);
}

std::string file_of_code(const void* address) {
  Dl_info where{};
  const bool is_in_file = dladdr(address, &where) != 0;
  return is_in_file && where.dli_fname != nullptr ? where.dli_fname : kGeneratedCode;
}

}  // namespace

Result<std::string> answering_code(std::size_t bytes,
                                   const std::function<void(const void* operand)>& call) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  bytes = (bytes + page - 1) / page * page;
  void* const memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return resource_exhausted("no memory for an operand");
  watched = {.begin = static_cast<char*>(memory), .bytes = bytes};
  struct sigaction action = {};
  action.sa_sigaction = note_visitor;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &watched.before);
  call(memory);
  sigaction(SIGSEGV, &watched.before, nullptr);
  munmap(memory, bytes);
  if (watched.visitor == nullptr) return unavailable("the call touched no operand");
  return file_of_code(watched.visitor);
}

}  // namespace triode::bench
