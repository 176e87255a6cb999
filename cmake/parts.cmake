# Optional parts: found or left out, and said so by `ooze version`. This file and src/parts are the
# only places that know whether a part is in.

# How a target with device code is compiled: for GPUs, or for the processor.
function(ooze_device_code target)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 17 CUDA_STANDARD 17
    CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    CUDA_ARCHITECTURES "${OOZE_CUDA_ARCHITECTURES}")
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda -Werror=all-warnings -Xcompiler=-Wall,-Wextra>
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -fopenmp -O2 -finline-limit=5000 -ffp-contract=off -fno-math-errno
      $<$<BOOL:${OOZE_WERROR}>:-Werror>>)
endfunction()

if(OOZE_CUDA)
  find_program(OOZE_NVCC nvcc HINTS ENV CUDA_PATH /usr/local/cuda/bin REQUIRED)
  set(CMAKE_CUDA_COMPILER ${OOZE_NVCC})
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  file(GLOB_RECURSE OOZE_CUDA_SOURCES CONFIGURE_DEPENDS src/cuda/*.cu)
  target_sources(ooze_objects PRIVATE ${OOZE_CUDA_SOURCES})
  set(OOZE_CUDA_ARCHITECTURES "75;80;90" CACHE STRING "GPUs that device code is compiled for")
  ooze_device_code(ooze_objects)
  target_compile_definitions(ooze_objects PRIVATE OOZE_WITH_CUDA)
  target_link_libraries(ooze_flags INTERFACE CUDA::cudart)
elseif(OOZE_CUDA_ON_HOST)
  # The same device code as plain C++ on the processor: for tests where there is no GPU, not for users.
  enable_language(CXX)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  file(GLOB_RECURSE OOZE_CUDA_SOURCES CONFIGURE_DEPENDS src/cuda/*.cu)
  set_source_files_properties(${OOZE_CUDA_SOURCES} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-xc++")
  target_sources(ooze_objects PRIVATE ${OOZE_CUDA_SOURCES})
  ooze_device_code(ooze_objects)
  target_compile_definitions(ooze_objects PRIVATE OOZE_WITH_CUDA)
  target_link_libraries(ooze_flags INTERFACE OpenMP::OpenMP_CXX)
endif()
if(OOZE_MPI)
  find_package(MPI REQUIRED COMPONENTS C)
  file(GLOB OOZE_CLUSTER_SOURCES CONFIGURE_DEPENDS src/cluster/*.c)
  target_sources(ooze_objects PRIVATE ${OOZE_CLUSTER_SOURCES})
  target_compile_definitions(ooze_objects PRIVATE OOZE_WITH_MPI)
  target_link_libraries(ooze_flags INTERFACE MPI::MPI_C)
endif()

if(OOZE_RENDER)
  find_package(embree 3 QUIET)
  pkg_check_modules(PNG QUIET IMPORTED_TARGET libpng)
endif()
if(OOZE_RENDER AND embree_FOUND AND PNG_FOUND)
  set(OOZE_HAS_RENDER ON)
  file(GLOB OOZE_RENDER_SOURCES CONFIGURE_DEPENDS src/render/*.c)
  target_sources(ooze_objects PRIVATE ${OOZE_RENDER_SOURCES})
  target_compile_definitions(ooze_objects PRIVATE OOZE_WITH_RENDER)
  target_link_libraries(ooze_flags INTERFACE embree PkgConfig::PNG)
else()
  set(OOZE_HAS_RENDER OFF)
  target_sources(ooze_objects PRIVATE src/parts/without_render.c)
endif()

if(OOZE_DECIMATION)
  find_package(meshoptimizer QUIET)
endif()
if(OOZE_DECIMATION AND meshoptimizer_FOUND)
  target_compile_definitions(ooze_objects PRIVATE OOZE_WITH_MESHOPT)
  target_link_libraries(ooze_flags INTERFACE meshoptimizer::meshoptimizer)
endif()
