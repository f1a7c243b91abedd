import Foundation
import Glibc
import Testing

@_spi(Baton) @testable import BatonProcesses

@Suite("Handles of processes", .timeLimit(.minutes(60)))
struct ProcessHandleTests {
    @Test("The arguments, the variables and the program of a process are known until it has ended")
    func program() async throws {
        try await withSupervisor { supervisor in
            let gate = FileManager.default.temporaryDirectory.appending(path: "gate-\(UUID().uuidString)").path
            try #require(mkfifo(gate, 0o600) == 0)
            defer { unlink(gate) }
            let script = "echo > '\(gate)'; sleep 1000; :"
            var specification = ProcessSpecification("sh", "-c", script, "", "a b")
            try specification.set(["COLOUR": "blue"])
            let (starts, continuation) = AsyncStream.makeStream(of: Int32.self)
            supervisor.launch(
                specification,
                token: 1,
                onStart: { continuation.yield($0) },
                onEnd: { _ in continuation.finish() }
            )
            var processes = starts.makeAsyncIterator()
            let started = await processes.next()
            let process = try #require(started)
            let handle = try ProcessHandle(process)
            // The system tells the start before it shows the arguments: the shell has to run.
            let reader = open(gate, O_RDONLY)
            var newline: UInt8 = 0
            #expect(read(reader, &newline, 1) == 1)
            close(reader)
            #expect(handle.arguments == ["-c", script, "", "a b"])
            #expect(handle.hasVariable("COLOUR", "blue"))
            #expect(!handle.hasVariable("COLOUR", "blu") && !handle.hasVariable("OLOUR", "blue"))
            #expect(!handle.runsThisProgram)
            let own = try ProcessHandle(getpid())
            #expect(own.runsThisProgram)

            supervisor.terminate(1, grace: .zero)
            let further = await processes.next()
            #expect(further == nil)
            #expect(handle.arguments == nil && !handle.hasVariable("COLOUR", "blue") && !handle.runsThisProgram)
        }
    }
}
