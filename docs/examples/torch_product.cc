// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>
#include <triode/torch.h>

#include <cstdio>

int main() {
  if (triode_torch_intercept() != TRIODE_OK) std::puts(triode_torch_last_error());
  const torch::Tensor product = torch::mm(torch::ones({64, 64}), torch::ones({64, 64}));
  triode_torch_release();
  return product[0][0].item<float>() == 64 ? 0 : 1;
}
