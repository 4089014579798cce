"""The one place that says where we are not like PyTorch, and why; ``test_not_like_pytorch.py`` keeps it true.

`NOT_HERE` lists, by reason, the names that PyTorch has and we refuse. A name that is neither here nor there fails the test, and so
does a listed name that has come to exist: strike it from the list.

`DIFFERENT` lists programs (as in `program_outcome`) whose observation differs from PyTorch's, each with the reason. One that has
come to agree fails the test as well.
"""

from __future__ import annotations

from typing import NamedTuple

NOT_HERE: dict[str, dict[str, str]] = {
    "Of sparse tensors what older code and other libraries ask for is not here, and no nested tensors are.": {
        "torch": """
            ccol_indices_copy col_indices_copy crow_indices_copy dsmm hsmm hspmm indices_copy jagged nested resize_as_sparse_
            row_indices_copy saddmm smm sspaddmm values_copy
        """,
        "Tensor": """
            resize_as_sparse_ smm sparse_resize_and_clear_ sspaddmm to_padded_tensor
        """,
        "torch.nn.functional": """
            sparse_support_notes
        """,
    },
    "Quantised numbers are not here.": {
        "torch": """
            QInt32Storage QInt8Storage QUInt2x4Storage QUInt4x2Storage QUInt8Storage ao dequantize empty_quantized
            fbgemm_linear_fp16_weight
            fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation
            fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix
            fused_moving_avg_obs_fake_quant int_repr per_channel_affine per_channel_affine_float_qparams per_channel_symmetric
            per_tensor_affine per_tensor_symmetric q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale
            q_zero_point qint32 qint8 qscheme quantization quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic
            quantized_batch_norm quantized_gru quantized_gru_cell quantized_lstm quantized_lstm_cell quantized_max_pool1d
            quantized_max_pool2d quantized_max_pool3d quantized_rnn_relu_cell quantized_rnn_tanh_cell quint2x4 quint4x2 quint8
        """,
        "Tensor": """
            dequantize int_repr q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qscheme
        """,
    },
    "Numbers narrower than a byte or of eight bits, and half-precision complex ones, are not here.": {
        "torch": """
            bit bits16 bits1x8 bits2x4 bits4x2 bits8 chalf complex32 float4_e2m1fn_x2 float8_e4m3fn float8_e4m3fnuz float8_e5m2
            float8_e5m2fnuz float8_e8m0fnu int1 int2 int3 int4 int5 int6 int7 uint1 uint2 uint3 uint4 uint5 uint6 uint7
        """,
        "Tensor": """
            chalf
        """,
        "torch.nn.functional": """
            ScalingType SwizzleType scaled_grouped_mm scaled_mm
        """,
    },
    "Belongs to a library or device that this machine does not have.": {
        "torch": """
            DeviceObjType Event Stream StreamObjType batch_norm_backward_elemt
            batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats batch_norm_gather_stats_with_counts
            batch_norm_stats batch_norm_update_stats compiled_with_cxx11_abi cpp cudnn_affine_grid_generator cudnn_batch_norm
            cudnn_convolution cudnn_convolution_add_relu cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler
            cudnn_is_acceptable get_autocast_ipu_dtype get_autocast_xla_dtype get_device_module has_lapack has_mkl has_openmp
            has_spectral is_autocast_ipu_enabled is_autocast_xla_enabled is_vulkan_available miopen_batch_norm miopen_convolution
            miopen_convolution_add_relu miopen_convolution_relu miopen_convolution_transpose miopen_ctc_loss
            miopen_depthwise_convolution miopen_rnn mkldnn_adaptive_avg_pool2d mkldnn_convolution mkldnn_linear_backward_weights
            mkldnn_max_pool2d mkldnn_max_pool3d mkldnn_rnn_layer monitor mtia prepare_multiprocessing_environment
            profiler_allow_cudagraph_cupti_lazy_reinit_cuda12 set_autocast_gpu_dtype set_autocast_ipu_dtype
            set_autocast_ipu_enabled set_autocast_xla_dtype set_autocast_xla_enabled
        """,
        "Tensor": """
            ipu is_mtia mtia record_stream to_mkldnn xpu
        """,
    },
    "About files, processes or other machines, which a run does not have.": {
        "torch": """
            AwaitType BFloat16Storage BenchmarkConfig BenchmarkExecutionStats BoolStorage ByteStorage CharStorage
            ComplexDoubleStorage ComplexFloatStorage DeserializationStorageContext DoubleStorage FileCheck FloatStorage Future
            FutureType HalfStorage IntStorage LockingLogger LoggerBase LongStorage NoopLogger PyTorchFileReader PyTorchFileWriter
            RRefType SerializationStorageContext ShortStorage Storage StorageBase ThroughputBenchmark
            fork from_file futures get_file_path hub init_num_threads is_distributed
            multiprocessing package wait
        """,
        "Tensor": """
            storage_type
        """,
    },
    "About compiling, scripting, exporting or extending PyTorch; here every line runs as it is written.": {
        "torch": """
            AVG AggregationType AliasDb AnyType Argument ArgumentSpec Block BoolType BufferDict CallStack Capsule ClassType Code
            CompilationUnit CompleteArgumentSpec ComplexType ConcreteModuleType ConcreteModuleTypeBuilder DeepCopyMemoTable
            DictType DisableTorchFunction DisableTorchFunctionSubclass DispatchKey DispatchKeySet EnumType ErrorReport
            ExcludeDispatchKeyGuard ExecutionPlan FatalError FloatType FunctionSchema Gradient Graph GraphExecutorState
            IODescriptor InferredType IntType InterfaceType JITException ListType LiteScriptModule ModuleDict Node NoneType
            NumberType OperatorInfo OptionalType PRIVATE_OPS ParameterDict PyObjectType SUM ScriptClass ScriptClassFunction
            ScriptDict ScriptDictIterator ScriptDictKeyIterator ScriptFunction ScriptList ScriptListIterator ScriptMethod
            ScriptModule ScriptModuleSerializer ScriptObject ScriptObjectProperty StaticModule StringType SymBool SymBoolType
            SymFloat SymInt SymIntType Tag TensorType TracingState TupleType Type USE_GLOBAL_DEPS USE_RTLD_GLOBAL_WITH_LIBTORCH
            UnionType Use Value classes cond export fx import_ir_module import_ir_module_from_buffer
            merge_type_from_type_comment parse_ir parse_schema parse_type_comment sym_constrain_range
            sym_constrain_range_for_size sym_fresh_size sym_sqrt
            unify_type_list while_loop windows
        """,
        "Tensor": """
            const_data_ptr module_load
        """,
        "torch.nn.functional": """
            BroadcastingList1 BroadcastingList2 BroadcastingList3 DType assert_int_or_pair boolean_dispatch handle_torch_function
            has_torch_function has_torch_function_unary has_torch_function_variadic
        """,
    },
    "A name of Python's or of PyTorch's own files that shows through.": {
        "torch": """
            TYPE_CHECKING builtins classproperty ctypes functools glob importlib inspect math os platform
            sys textwrap threading torch torch_version warnings
        """,
        "torch.nn.functional": """
            Callable GRID_SAMPLE_INTERPOLATION_MODES GRID_SAMPLE_PADDING_MODES Optional TYPE_CHECKING Tensor dataclasses importlib
            math np reproducibility_notes tf32_notes torch warnings
        """,
        "torch.linalg": """
            common_notes
        """,
        "torch.fft": """
            Tensor common_args factory_common_args torch
        """,
        "torch.special": """
            Tensor common_args multi_dim_common torch
        """,
    },
    "Long deprecated, or removed from PyTorch in all but name.": {
        "torch": """
            autocast_decrement_nesting autocast_increment_nesting legacy_contiguous_format
            native_norm set_anomaly_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled
        """,
        "Tensor": """
            index reinforce resize resize_as
        """,
    },
    "Nobody has asked for it yet: rare outside PyTorch's own code.": {
        "torch": """
            affine_grid_generator choose_qparams_optimized conv_tbc detach_copy embedding_bag
            get_device native_dropout
            quasirandom resize_as_ slice_inverse view_as_complex_copy view_as_real_copy
        """,
        "Tensor": """
            slice_inverse
        """,
        "torch.nn.functional": """
            conv_tbc fractional_max_pool2d_with_indices fractional_max_pool3d_with_indices grouped_mm
        """,
    },
}
"""Reason → place → names, as words."""


class Difference(NamedTuple):
    """A program that PyTorch answers otherwise.

    Attributes:
        operator: what it is about.
        reason: why we stay different.
        program: an expression, or statements that bind ``r``.
    """

    operator: str
    reason: str
    program: str


DIFFERENT = [
    Difference(
        "special.bessel_j0, bessel_j1, bessel_y0, bessel_y1 in float32",
        "PyTorch evaluates its polynomials in float32; we evaluate in double precision and round once, which is nearer to the truth.",
        "torch.special.bessel_j0(torch.tensor([100.0, 20.0, 0.1])).tolist()",
    ),
    Difference(
        "native_layer_norm with a bias and no weight, derived twice",
        "PyTorch raises an internal error there ('Expected a proper Tensor but got None'); we give the derivative.",
        "r = torch.native_layer_norm(x, (4,), None, v, 1e-5)[0]",
    ),
    Difference(
        "layer_norm with a weight, derived three times",
        "PyTorch's second derivative takes the saved mean and deviation for constants, so that the third is not what finite differences "
        "give; ours is.",
        "a = x[:2, :3].clone().requires_grad_(); w = v[:3].clone().requires_grad_()\n"
        "(f,) = torch.autograd.grad(torch.nn.functional.layer_norm(a, (3,), w).pow(3).sum(), a, create_graph=True)\n"
        "(s,) = torch.autograd.grad(f.pow(2).sum(), a, create_graph=True)\n"
        "(r,) = torch.autograd.grad(s.pow(2).sum(), a)",
    ),
    Difference(
        "addbmm_ on a tensor of another shape",
        "PyTorch resizes the tensor it writes into, silently; we refuse, as PyTorch itself does for every other operator.",
        "r = torch.zeros((), dtype=torch.float64); r.addbmm_(n[None], n.T[None])",
    ),
    Difference(
        "torch.func.jacfwd of sinc at zero",
        "PyTorch runs a rule of its own for each direction; we take the columns from the graph of one run, whose slope at zero is masked "
        "before it is multiplied: nan, where PyTorch's rule has zero.",
        "r = torch.func.jacfwd(torch.sinc)(torch.zeros(2))",
    ),
    Difference(
        "LSTM under autocast",
        "PyTorch hands a whole LSTM to a library that has it in bfloat16 on processors with AVX-512 only, and refuses on the reference; "
        "we compute what it gives there.",
        "f = torch.nn.LSTM(3, 2)\nwith torch.autocast('cpu'): r = f(torch.ones(1, 3))[0].dtype",
    ),
]
"""What is known to differ."""

IN_RANDOM_PROGRAMS: dict[str, tuple[int, ...]] = {
    "Writes through several views of a complex tensor's imaginary part: how many nodes the chain has differs, values agree.": (
        34,
    ),
    "PyTorch runs into an assertion of its own (INTERNAL ASSERT): such programs are not compared.": (),
    "Two views that differ only in the step of a dimension of length one count as overlapping in PyTorch, and as one here.": (),
    "Tensors without elements: their steps, offsets and some refusals, about memory that nobody can see.": (),
    "Batch normalisation whose input was written through .data derives from what it reads then, not from the mean it saved.": (),
    "A conjugate is a view that waits in PyTorch (ConjBackward0 twice and NegViewBackward0 in x.conj().imag); here it is computed.": (),
    "Which of several refusals comes first, where a call deserves more than one.": (),
    "Last digits where everything cancels: products of complex numbers, sums that should be zero, and what is decided by them.": (),
    "The sign of zeros that PyTorch's kernels make in one position of an array and not in another.": (),
    "Warnings that PyTorch gives once per process (searchsorted of values that are not contiguous).": (),
    "Which of equal numbers comes first when sorting without `stable=True`.": (),
    "Versions of results that PyTorch computes in place out of tensors made in inference mode.": (),
}
"""What is left between random programs here and there: the reason, and the recorded wide programs that show it."""
