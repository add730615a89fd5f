// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/ptx_parser.h"

#include "tests/virtual_gpu/ptx_entry_parser.h"
#include "tests/virtual_gpu/token_stream.h"

namespace triode::vgpu {
namespace {

void parse_directive(TokenStream& in, PtxModule& module) {
  const std::string_view word = in.next();
  if (word == ".version") {
    module.version = in.next();
  } else if (word == ".target") {
    module.target = in.next();
    while (in.accept(",")) in.next();
  } else if (word == ".address_size") {
    if (in.next() != "64") in.fail("only 64-bit addresses are supported");
  } else if (word == ".entry") {
    module.entries.push_back(parse_entry(in));
  } else if (word == ".shared") {
    module.variables.push_back(parse_variable(in));
  } else if (word == ".extern") {
    in.expect(".shared");
    module.variables.push_back(parse_variable(in));
    module.variables.back().is_extern = true;
  } else if (word == ".global" || word == ".const") {
    // Compilers write out constants that they have folded. A kernel that used one would be refused,
    // for its name is not kept.
    while (in.next() != ";") {
    }
  } else if (word == ".section") {
    in.next();
    in.skip_braces();
  } else if (word != ".visible" && word != ".weak" && word != ";") {
    in.fail("unsupported directive \"" + std::string(word) + "\"");
  }
}

}  // namespace

Result<PtxModule> parse_ptx(std::string_view text) {
  try {
    TokenStream in(text);
    PtxModule module;
    while (!in.at_end()) parse_directive(in, module);
    return module;
  } catch (const PtxError& error) {
    return invalid_argument(error.what());
  }
}

}  // namespace triode::vgpu
