import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

/// Tests of the permission to delete files, which waits for a commit, while other operations come to need the same contents.
@Suite("Files that a worker may delete", .timeLimit(.minutes(60)))
struct ReleasedFileTests {
    /// A worker with several slots and a client, whose operations leave files and run until a test ends them.
    private final class Scene {
        let coordinator: SteppedCoordinator
        private var dispatched: [Assignment] = []
        private var told: [CoordinatorMessage] = []
        private var nextRequest: UInt64 = 1

        static let session = SessionID(rawValue: 7)
        private static let worker = RoutingID(inProcess: 10)
        private static let client = RoutingID(inProcess: 1)

        init() throws {
            coordinator = try SteppedCoordinator(
                try SQLStore(on: MemoryDisk()),
                at: Timestamp(rawValue: 1_700_000_000_000_000)
            )
            let hello = WorkerHello(
                version: "test",
                name: "w1",
                session: Self.session,
                slots: 8,
                host: "host",
                processID: 1,
                life: WorkerLife(rawValue: 1),
                sessionNumber: 1,
                attempts: [],
                id: WorkerID(rawValue: 5)
            )
            say(.hello(hello))
            say(.filesHeld(Self.session, [], isFirst: true))
        }

        func say(_ message: WorkerMessage) {
            coordinator.receive(message.encoded(), from: Self.worker)
            settle()
        }

        /// Submits a job with an operation that leaves files, and others that need these.
        ///
        /// - Returns: the attempt of the first operation.
        func submit(dependents: Int) throws -> Assignment {
            var work = Work(.commands([["make"]]))
            work.outputs = ["*"]
            let needing = Entry(template: 1, dependencies: [Dependency(on: .entry(0), condition: .success)])
            let submission = Submission(
                templates: [Template(work: work), Template(work: Work(.commands([["use"]])))],
                entries: [Entry(template: 0)] + (0..<dependents).map { _ in needing }
            )
            coordinator.ask(.submit(submission), nextRequest, from: Self.client)
            nextRequest += 1
            settle()
            let attempt = dispatched.popLast()
            return try #require(attempt)
        }

        /// The attempts that the worker was told to run since the last call.
        func takeAttempts() -> [Assignment] {
            defer { dispatched = [] }
            return dispatched
        }

        func end(_ attempt: Assignment, leaving files: [KeptFile] = []) {
            var result = AttemptResult(end: .exited(0))
            result.files = files
            let end = Completion(token: attempt.token, operation: attempt.operation, result: result)
            let report = AttemptReport(started: [AttemptStart(attempt.token)], completions: [end])
            say(.report(Self.session, report))
        }

        /// Stores the changes that wait, and all later ones at once.
        func storeChanges() {
            coordinator.storesChanges = true
            coordinator.storeChanges()
            settle()
        }

        /// What the worker was told of files since the last call.
        func takeTold() -> [CoordinatorMessage] {
            defer { told = [] }
            return told
        }

        private func settle() {
            coordinator.settle(flushes: true)
            readMessages()
        }

        private func readMessages() {
            for (bytes, peer) in coordinator.takeMessages() where peer == Self.worker {
                do {
                    switch try bytes.withUnsafeBytes({ try CoordinatorMessage(decoding: $0) }) {
                    case .dispatch(let batch): dispatched += batch.items.map(\.assignment)
                    case .releaseFiles(let digests): told.append(.releaseFiles(digests))
                    case .retainFiles(let digests): told.append(.retainFiles(digests))
                    default: break
                    }
                } catch {
                    Issue.record(error)
                }
            }
        }
    }

    private func file(_ number: Int) throws -> KeptFile {
        let digest = try #require(
            ContentDigest(bytes: [UInt8](repeating: UInt8(number), count: ContentDigest.length))
        )
        return KeptFile(path: "f\(number)", size: 4, mode: 0o644, digest: digest)
    }

    /// How often the worker was told that it may delete each content.
    private func releases(in told: [CoordinatorMessage]) -> [ContentDigest: Int] {
        var counts: [ContentDigest: Int] = [:]
        for case .releaseFiles(let digests) in told { for digest in digests { counts[digest, default: 0] += 1 } }
        return counts
    }

    @Test(
        "FI9 What an operation comes to need is not released by an earlier release that waits for its commit",
        arguments: [1, 3, 20],
        [1, 2]
    )
    func neededMeanwhile(shared count: Int, releasesBefore: Int) throws {
        let scene = try Scene()
        let shared = try (0..<count).map { try file($0) }
        let own = try (0..<releasesBefore).map { try file(100 + $0) }
        let earlier = try own.map { _ in try scene.submit(dependents: 0) }
        let later = try scene.submit(dependents: 1)
        scene.coordinator.storesChanges = false
        // The end of each job lets the worker delete its files, once it is on disk.
        for (attempt, file) in zip(earlier, own) { scene.end(attempt, leaving: shared + [file]) }
        #expect(releases(in: scene.takeTold()).isEmpty)
        scene.end(later, leaving: shared)
        #expect(scene.takeTold() == [.retainFiles(shared.map(\.digest))])
        scene.storeChanges()
        let released = releases(in: scene.takeTold())
        #expect(released == Dictionary(uniqueKeysWithValues: own.map { ($0.digest, 1) }))
        // The end of the dependent ends the need.
        let dependent = try #require(scene.takeAttempts().first)
        scene.end(dependent)
        #expect(releases(in: scene.takeTold()) == Dictionary(uniqueKeysWithValues: shared.map { ($0.digest, 1) }))
        #expect(scene.coordinator.core.retainedFiles.isEmpty)
    }

    @Test(
        "FI9 A release counts from the commit of the change that let the content be of no use, and not from an earlier one",
        arguments: [1, 2, 5]
    )
    func unneededAgain(times: Int) throws {
        let scene = try Scene()
        let shared = try file(0)
        let attempts = try (0...times).map { _ in try scene.submit(dependents: 0) }
        scene.coordinator.storesChanges = false
        // Each job comes to need the content, and ends at once.
        for attempt in attempts { scene.end(attempt, leaving: [shared]) }
        scene.storeChanges()
        // The coordinator could stop between any two commits: only behind the last one nothing on disk needs the content.
        #expect(releases(in: scene.takeTold()) == [shared.digest: 1])
        #expect(scene.coordinator.core.retainedFiles.isEmpty)
    }
}
