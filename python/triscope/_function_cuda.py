"""The memory of a GPU as torch tensors, for a callable that the worker measures."""

import functools

import torch

from . import _function_kernel, _library


class _Bytes:
    """Memory that torch takes over without a copy. bfloat16 has no name there, and comes as int16."""

    def __init__(self, address, shape, fp32):
        # torch refuses memory that is marked as read only.
        self.__cuda_array_interface__ = {"shape": shape, "typestr": "<f4" if fp32 else "<i2", "data": (address, False),
                                         "strides": None, "version": 3}


@functools.lru_cache(maxsize=256)
def _tensor(address, shape, fp32):
    tensor = torch.as_tensor(_Bytes(address, shape, fp32), device="cuda")
    if tensor.data_ptr() != address:
        raise RuntimeError("torch copied the tensors to another GPU: make one GPU visible with CUDA_VISIBLE_DEVICES")
    return tensor if fp32 else tensor.view(torch.bfloat16)


class Device:
    """Tensors on the GPU, as torch has them. Nothing keeps a callable from writing into its inputs."""

    device, element, other_element = _library.CUDA, _library.BF16, "functions of torch are measured in bfloat16"

    def on(self, stream):
        """Within it, torch and Triton put their work on the stream that the worker measures."""
        return torch.cuda.stream(torch.cuda.ExternalStream(stream or 0))

    def view(self, address, shape, writable=False, fp32=False):
        return _tensor(address, shape, fp32)

    def store(self, name, value, into):
        if not isinstance(value, torch.Tensor):
            raise TypeError(f"{name} must be a torch tensor, but it returned {type(value).__name__}")
        if value.device != into.device:
            raise ValueError(f"{name} must lie on {into.device}, but it returned a tensor on {value.device}")
        _function_kernel.check(name, value, into)
        into.copy_(value.detach())
