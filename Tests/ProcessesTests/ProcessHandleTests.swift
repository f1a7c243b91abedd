import Glibc
import Testing

@_spi(Baton) @testable import BatonProcesses

@Suite("Handles of processes", .timeLimit(.minutes(60)))
struct ProcessHandleTests {
    @Test("The arguments, the variables and the program of a process are known until it has ended")
    func program() async throws {
        try await withSupervisor { supervisor in
            var specification = ProcessSpecification("sh", "-c", "sleep 1000; :", "", "a b")
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
            #expect(handle.arguments == ["-c", "sleep 1000; :", "", "a b"])
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
