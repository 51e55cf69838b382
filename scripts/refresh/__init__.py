# SPDX-License-Identifier: MIT
"""What scripts/manifest-refresh and scripts/manifest-add are made of."""
