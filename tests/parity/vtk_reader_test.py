"""Exports read with VTK's own readers: .vtp with every array, and .ply as vertices."""

import xml.etree.ElementTree as xml

import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy

from samples import FRAMES, Samples, check, check_equal


class Complaints:
    """VTK reports errors as events; any is a failure."""

    def __init__(self, reader):
        reader.AddObserver("ErrorEvent", self.note)
        reader.AddObserver("WarningEvent", self.note)
        self.reader = reader

    def note(self, *_):
        check(False, f"{self.reader.GetClassName()} complains")


def array(data):
    values = vtk_to_numpy(data)
    return values.reshape(len(values),
                          -1) if len(values) else values.reshape(0, data.GetNumberOfComponents())


def check_vtp(samples, number):
    reader = vtk.vtkXMLPolyDataReader()
    Complaints(reader)
    reader.SetFileName(samples.export_path("vtp", number))
    reader.Update()
    data, fields = reader.GetOutput(), samples.fields(number)
    count = len(fields["id"])
    check(data.GetNumberOfPoints() == count and data.GetNumberOfVerts() == count,
          "numbers of points")
    check(data.GetFieldData().GetArray("TimeValue").GetValue(0) == 0.125 * number + 0.001, "time")
    names = {data.GetPointData().GetArrayName(i)
             for i in range(data.GetPointData().GetNumberOfArrays())}
    check(names == set(fields) - {"position"}, "list of arrays")
    if count == 0:
        return
    check_equal(array(data.GetPoints().GetData()), fields["position"], "points")
    for name in names:
        values = array(data.GetPointData().GetArray(name))
        check(values.dtype == fields[name].dtype, f"type of {name}")
        check_equal(values, fields[name], name)
    cells = vtk_to_numpy(data.GetVerts().GetConnectivityArray())
    check_equal(cells, numpy.arange(count), "vertices")


def check_ply(samples, number):
    reader = vtk.vtkPLYReader()
    Complaints(reader)
    reader.SetFileName(samples.export_path("ply", number))
    reader.Update()
    positions = samples.fields(number)["position"]
    check(reader.GetOutput().GetNumberOfPoints() == len(positions), "number of PLY points")
    check_equal(array(reader.GetOutput().GetPoints().GetData()), positions, "PLY points")


def check_pvd(samples):
    sets = xml.parse(samples.path("vtp", "run.pvd")).getroot().findall("Collection/DataSet")
    check([s.get("file") for s in sets] == [f"frame_{n:06d}.vtp" for n in range(FRAMES)], "files")
    check([float(s.get("timestep")) for s in sets] == [0.125 * n + 0.001 for n in range(FRAMES)],
          "times")


with Samples() as made:
    for frame in range(FRAMES):
        check_vtp(made, frame)
        if frame != 1:  # VTK's PLY reader wants at least one vertex
            check_ply(made, frame)
    check_pvd(made)
print(f"VTK {vtk.vtkVersion().GetVTKVersion()} reads what was written")
