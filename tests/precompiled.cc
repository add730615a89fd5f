// SPDX-License-Identifier: Apache-2.0
// Compiled so that precompiled.h is; has nothing of its own.
