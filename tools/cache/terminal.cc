// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace triode::cache_tool {

Terminal Terminal::of(int descriptor) {
  Terminal terminal;
  terminal.is_terminal = isatty(descriptor) == 1;
  if (!terminal.is_terminal) return terminal;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* type = std::getenv("TERM");
  terminal.has_colour = (no_colour == nullptr || *no_colour == '\0') && type != nullptr &&
                        std::string_view(type) != "dumb";
  winsize size{};
  terminal.width = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  return terminal;
}

}  // namespace triode::cache_tool
