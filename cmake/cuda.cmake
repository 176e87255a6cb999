# The GPU back end. OOZE_CUDA: AUTO builds it where nvcc is found and works, ON demands it, OFF leaves it
# out. OOZE_CUDA_ON_HOST builds the same device code as C++ for the processor, for tests.
set(OOZE_HAS_CUDA OFF)

# How a target with device code is compiled: for GPUs, or for the processor.
function(ooze_device_code target)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 17 CUDA_STANDARD 17
    CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    CUDA_ARCHITECTURES "${OOZE_CUDA_FOR}")
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda -Werror=all-warnings -Xcompiler=-Wall,-Wextra>
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -fopenmp -O2 -finline-limit=5000 -ffp-contract=off
      -fno-math-errno $<$<BOOL:${OOZE_WERROR}>:-Werror>>)
endfunction()

# Sets OOZE_NVCC_WORKS if nvcc compiles and links a program for the wanted GPUs, else OOZE_NVCC_REASON:
# it may be installed without the headers or the runtime library, or find no host compiler that it takes.
function(ooze_try_nvcc)
  find_program(OOZE_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  if(NOT OOZE_NVCC)
    set(OOZE_NVCC_WORKS OFF PARENT_SCOPE)
    set(OOZE_NVCC_REASON "nvcc is not found" PARENT_SCOPE)
    return()
  endif()
  set(tried "${OOZE_NVCC} ${OOZE_CUDA_FOR} $ENV{CUDAHOSTCXX} ${CMAKE_CUDA_HOST_COMPILER}")
  if(OOZE_NVCC_TRIED STREQUAL tried)
    set(OOZE_NVCC_WORKS ON PARENT_SCOPE)
    return()
  endif()
  set(flags -std=c++17 -cudart shared)
  foreach(gpu ${OOZE_CUDA_FOR})
    if(gpu MATCHES "^([0-9]+[af]?)(-real|-virtual)?$")
      list(APPEND flags -gencode arch=compute_${CMAKE_MATCH_1},code=compute_${CMAKE_MATCH_1})
    else()
      list(APPEND flags -arch=${gpu})
    endif()
  endforeach()
  set(host $ENV{CUDAHOSTCXX} ${CMAKE_CUDA_HOST_COMPILER})
  if(host)
    list(GET host -1 host)
    list(APPEND flags -ccbin ${host})
  endif()
  set(folder ${CMAKE_BINARY_DIR}/CMakeFiles/ooze_nvcc)
  file(WRITE ${folder}/probe.cu "#include <cuda_runtime.h>\n#include <cub/version.cuh>\n"
    "__global__ void nothing() {}\n"
    "int main() { nothing<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n")
  execute_process(COMMAND ${OOZE_NVCC} ${flags} -o probe probe.cu WORKING_DIRECTORY ${folder}
    RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(failed STREQUAL "0")
    set(OOZE_NVCC_TRIED ${tried} CACHE INTERNAL "the nvcc that worked, and for which GPUs")
    set(OOZE_NVCC_WORKS ON PARENT_SCOPE)
    return()
  endif()
  string(STRIP "${output}" output)
  string(REGEX REPLACE "\n.*" "" output "${output}")
  set(OOZE_NVCC_WORKS OFF PARENT_SCOPE)
  set(OOZE_NVCC_REASON "${OOZE_NVCC} builds no program: ${output}" PARENT_SCOPE)
endfunction()

# The GPUs that code is compiled for: those asked for, or that of this machine, or a range of them.
set(OOZE_CUDA_ARCHITECTURES "" CACHE STRING
  "GPUs that device code is compiled for; empty: this machine's, or 75;80;90 where there is none")
set(OOZE_CUDA_FOR ${OOZE_CUDA_ARCHITECTURES})
set(OOZE_HAS_GPU OFF)
find_program(OOZE_NVIDIA_SMI nvidia-smi)
if(OOZE_NVIDIA_SMI)
  execute_process(COMMAND ${OOZE_NVIDIA_SMI} -L OUTPUT_VARIABLE gpus ERROR_QUIET RESULT_VARIABLE failed)
  if(failed STREQUAL "0" AND gpus MATCHES "GPU 0")
    set(OOZE_HAS_GPU ON)
  endif()
endif()
# Tests and benchmarks of device code: built by demand only where AUTO finds nothing to run them on.
set(OOZE_TEST_DEVICE ON)
if(OOZE_CUDA STREQUAL "AUTO" AND NOT OOZE_HAS_GPU AND NOT OOZE_CUDA_ON_HOST)
  set(OOZE_TEST_DEVICE OFF)
endif()
if(NOT OOZE_CUDA_FOR)
  set(OOZE_CUDA_FOR 75 80 90)
  if(OOZE_HAS_GPU)
    set(OOZE_CUDA_FOR native)
  endif()
endif()

if(OOZE_CUDA_ON_HOST)
  enable_language(CXX)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  target_link_libraries(ooze_flags INTERFACE OpenMP::OpenMP_CXX)
  set(OOZE_HAS_CUDA ON)
  message(STATUS "Part cuda: built in to run on the processor")
elseif(NOT OOZE_CUDA)
  message(STATUS "Part cuda: turned off (OOZE_CUDA)")
else()
  ooze_try_nvcc()
  if(OOZE_NVCC_WORKS)
    set(CMAKE_CUDA_COMPILER ${OOZE_NVCC})
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    # nvcc knows where its headers are; other files are compiled alike with and without this part.
    target_link_libraries(ooze_flags INTERFACE $<LINK_ONLY:CUDA::cudart>)
    set(OOZE_HAS_CUDA ON)
    string(REPLACE ";" ", " gpus "${OOZE_CUDA_FOR}")
    message(STATUS "Part cuda: built in (nvcc ${CMAKE_CUDA_COMPILER_VERSION}, GPUs: ${gpus}); "
      "OOZE_CUDA=OFF leaves it out")
  elseif(OOZE_CUDA STREQUAL "AUTO")
    message(STATUS "Part cuda: left out, as ${OOZE_NVCC_REASON}")
  else()
    message(FATAL_ERROR "OOZE_CUDA is ON, but ${OOZE_NVCC_REASON}")
  endif()
endif()

if(OOZE_HAS_CUDA)
  file(GLOB_RECURSE OOZE_CUDA_SOURCES CONFIGURE_DEPENDS src/*.cu)
  if(OOZE_CUDA_ON_HOST)
    set_source_files_properties(${OOZE_CUDA_SOURCES} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-xc++")
  else()
    # Loops that are launched alone or repeated within a launch (src/cuda/repeat.cuh) have the same
    # bits either way: which products and sums become one operation depends on the code around them.
    file(GLOB repeated CONFIGURE_DEPENDS src/solvers/density/cuda/*.cu
      src/methods/conformation/cuda/lodge.cu src/methods/conformation/cuda/lodge_iteration.cu
      src/methods/conformation/cuda/lodge_operator.cu)
    set_source_files_properties(${repeated} PROPERTIES COMPILE_OPTIONS "--fmad=false")
  endif()
  target_sources(ooze_objects PRIVATE ${OOZE_CUDA_SOURCES})
  ooze_device_code(ooze_objects)
  ooze_define_feature(OOZE_WITH_CUDA)
endif()
