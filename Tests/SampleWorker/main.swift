import Baton
import Foundation
@_spi(Baton) import BatonSampleOperations

// sample-worker COORDINATOR NAME SLOTS DIRECTORY
let arguments = CommandLine.arguments
guard arguments.count == 5, let slots = Int(arguments[3]) else {
    FileHandle.standardError.write(Data("usage: sample-worker COORDINATOR NAME SLOTS DIRECTORY\n".utf8))
    exit(64)
}
var worker = try ClusterWorker(
    coordinator: arguments[1],
    name: arguments[2],
    slots: slots,
    directory: arguments[4],
    operations: [MeasureText.self, Refuse.self, StayAtGate.self]
)
// Tests that end the worker do not wait for operations.
worker.drainTimeout = .zero
try await worker.run()
