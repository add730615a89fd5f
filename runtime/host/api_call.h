// SPDX-License-Identifier: Apache-2.0
// A matmul of the C interface in the terms of an intercepted call.
#pragma once

#include <triode/triode.h>

#include <cstdint>

#include "core/status.h"
#include "runtime/host/blas_symbols.h"
#include "runtime/host/call_sites.h"
#include "runtime/host/raw_call.h"

namespace triode::host {

// Whether a call makes sense, but for its pointers. What does is understood by meaning_of().
// kInvalidArgument, or kUnsupported for the struct of a newer version.
Status check_shape(const triode_gemm_call* call, const char* name);

// Whether a call of a sensible shape has the pointers that it needs, each at a whole element.
Status check_pointers(const triode_gemm_call& call);

// The function of a BLAS that computes this shape.
Symbol symbol_of(const triode_gemm_call& shape);

Spelling spelling_of(const triode_gemm_call& shape);

// Sizes as that function takes them; no traits yet.
CallKey sizes_of(const triode_gemm_call& shape);

// A scalar in the type of the call.
double rounded_to(int32_t dtype, double scalar);

// The call as an interceptor would see it, with the scalars rounded to its type. `site` is one of
// symbol_of().
RawCall raw_call(const triode_gemm_call& call, const CallSite& site);

}  // namespace triode::host
