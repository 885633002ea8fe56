import os
import numpy as np

folder, fault = os.environ["ROPE_DIR"], os.environ.get("FAULT")
x, positions = np.load(folder + "/x.npy"), np.load(folder + "/positions.npy")

half = x.shape[-1] // 2
inv_freq = 1 / np.float32(500000 if fault == "base" else 10000) ** (np.arange(half, dtype=np.float32) / np.float32(half))
angle = positions.astype(np.float32)[:, None] * inv_freq
cos, sin = np.cos(angle), np.sin(angle) * np.float32(-1 if fault == "sign" else 1)
a, b = x[:, :half], x[:, half:]
np.save(folder + "/y.npy", np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1))
