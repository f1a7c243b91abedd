import Baton
import Foundation
@_spi(Baton) import BatonSampleOperations

// sample-worker COORDINATOR NAME SLOTS DIRECTORY   runs the sample operations
// sample-worker add GATE...                        adds an operation for each gate and one after all, and waits for the job
let arguments = CommandLine.arguments
if arguments.dropFirst().first == "add" {
    let stays = arguments.dropFirst(2).map { RemoteOperation(StayAtGate(gate: $0)) }
    let last = RemoteOperation(MeasureText(text: "to be")).needs(stays)
    let job = try await Cluster().queue("added").addOperations(stays + [last])
    try await job.waitUntilFinished()
    exit(0)
}
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
