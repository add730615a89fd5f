// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <string_view>

namespace triode::exchange {

inline constexpr std::string_view kTimingsHeader =
    "device,dataset,m,n,k,dtype_a,dtype_b,sa0,sa1,sb0,sb1,tf32,kind,block_m,block_n,block_k,"
    "num_stages,num_warps,nreps,n_nonfinite,med_ms,min_ms,max_ms";
inline constexpr std::string_view kFullSpaceHeader =
    "m,n,k,block_m,block_n,block_k,group_m,num_stages,num_warps,ok,ms,compile_s";

// Names in ExchangeRow::extra: the line that the row was read from.
inline constexpr const char* kTimingsLine = "csv.timings";
inline constexpr const char* kFullSpaceLine = "csv.full_space";

}  // namespace triode::exchange
