import Foundation
import Operations
import Processes
import Testing
import Wire
import ZeroMQ

@testable import Worker

@Suite("An attempt tells the worker's own thread", .serialized, .timeLimit(.minutes(1)))
struct AttemptOperationTests {
    /// Runs the body with what attempts need, and a function that waits for so many letters.
    private func withServices(
        _ body: @escaping @Sendable (AttemptServices, (Int) throws -> [WorkerLetter]) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { path in
            let mailbox = try Mailbox<WorkerLetter>()
            let poller = Poller()
            _ = poller.add(mailbox.waker)
            let supervisor = try ProcessSupervisor()
            let directory = try WorkerDirectory(path)
            let services = AttemptServices(
                supervisor: supervisor,
                directory: directory,
                archive: OutputArchive(directory: directory.outputs),
                environment: .inherited(),
                coordinator: "tcp://127.0.0.1:1",
                mailbox: mailbox
            )
            defer { supervisor.shutDown() }
            try body(services) { count in
                var letters: [WorkerLetter] = []
                while letters.count < count {
                    try poller.poll(timeout: FakeCoordinator.patience)
                    let new = mailbox.takeAll()
                    if new.isEmpty { throw Overdue() }
                    letters += new
                }
                return letters
            }
        }
    }

    private func operation(_ script: String, _ services: AttemptServices) -> AttemptOperation {
        let batch = batch([token(1)], work: .shell(script))
        return AttemptOperation(
            Assignment(item: batch.items[0], work: batch.works[0], queue: "main"),
            services: services
        )
    }

    @Test("Its slot is free before its output has been collected, which is two letters; without output it is one")
    func letters() async throws {
        try await withServices { services, awaitLetters in
            operation("echo printed", services).start()
            let letters = try awaitLetters(2)
            guard letters.count == 2, case .slotFreed(token(1)) = letters[0],
                case .attemptEnded(token(1), let result) = letters[1]
            else {
                Issue.record("\(letters)")
                return
            }
            #expect(result.standardOutput.text == "printed\n")

            operation("true", services).start()
            guard case .attemptEnded(token(1), let result) = try awaitLetters(1)[0] else {
                Issue.record("nothing is left to be collected")
                return
            }
            #expect(result.end == .exited(0))
        }
    }

    @Test(
        "Ended on its way through the local queue, it runs nothing and says why",
        arguments: [
            (WorkerSession.EndCause.cancelled, AttemptEnd.signalled(15)), (.leaving, .interrupted),
            (.coordinatorLost, .interrupted),
        ]
    )
    func endedBeforeStart(cause: WorkerSession.EndCause, end: AttemptEnd) async throws {
        try await withServices { services, awaitLetters in
            let ran = services.directory.path + "/ran"
            let attempt = operation("touch '\(ran)'", services)
            attempt.end(for: cause)
            attempt.end(for: cause == .cancelled ? .leaving : .cancelled)
            let queue = OperationQueue()
            queue.addOperation(attempt)
            guard case .attemptEnded(token(1), let result) = try awaitLetters(1)[0] else {
                Issue.record("it has an end")
                return
            }
            #expect(result == AttemptResult(end: end), "the first cause counts")
            queue.waitUntilAllOperationsAreFinished()
            #expect(!FileManager.default.fileExists(atPath: ran))
        }
    }
}
