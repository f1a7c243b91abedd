@_spi(Baton) import BatonDocuments
import Foundation
import Testing

@_spi(Baton) @testable import BatonHealth

@Suite("The health of a process", .timeLimit(.minutes(60)))
struct HealthTests {
    /// A limit that no test reaches.
    private static let late = ContinuousClock.now + .seconds(36_000)

    private static let report = HealthDocument.Process(
        role: .worker,
        name: "w1",
        answers: true,
        ready: true,
        message: "It answers."
    )

    /// Calls the body with the path of a socket in a new directory.
    private func withPath(under name: String = "d", _ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID())")
        let folder = directory.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(folder.appending(path: "health").path)
    }

    @Test(
        "A process answers all who ask, at a path of any length",
        arguments: ["d", String(repeating: "long", count: 60), String(repeating: "ä", count: 50)]
    )
    func answer(folder: String) throws {
        try withPath(under: folder) { path in
            let listener = try HealthListener(at: path)
            let questions = try (0..<3).map { _ in try HealthQuestion(at: path) }
            listener.answer(Self.report)
            for question in questions {
                #expect(question.answer(until: Self.late) == .report(Self.report.json))
            }
        }
    }

    @Test("A process that does not come to answer is silent, however many have asked before")
    func silence() throws {
        try withPath { path in
            let listener = try HealthListener(at: path)
            // More than may wait.
            let questions = try (0..<200).map { _ in try HealthQuestion(at: path) }
            for question in questions { #expect(question.answer(until: .now) == .silent) }
            withExtendedLifetime(listener) {}
        }
    }

    @Test("The file of an ended process says nothing, and the next process takes its place")
    func end() throws {
        try withPath { path in
            #expect(try HealthQuestion(at: path).answer(until: Self.late) == .none)
            #expect(try HealthQuestion(at: path + "/below").answer(until: Self.late) == .none)
            var listener: HealthListener? = try HealthListener(at: path)
            let unanswered = try HealthQuestion(at: path)
            withExtendedLifetime(listener) {}
            listener = nil
            #expect(unanswered.answer(until: Self.late) == .none)
            #expect(FileManager.default.fileExists(atPath: path))
            #expect(try HealthQuestion(at: path).answer(until: Self.late) == .none)
            let next = try HealthListener(at: path)
            let question = try HealthQuestion(at: path)
            next.answer(Self.report)
            #expect(question.answer(until: Self.late) == .report(Self.report.json))
        }
    }

    @Test("Only the user of a process may ask")
    func access() throws {
        try withPath { path in
            let listener = try HealthListener(at: path)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            withExtendedLifetime(listener) {}
        }
    }

    @Test("A place that cannot be used is named, with the reason")
    func noPlace() throws {
        try withPath { path in
            do throws(HealthFailure) {
                _ = try HealthListener(at: path + "/below/health")
                Issue.record("It listens in a missing directory.")
            } catch {
                #expect(error.description == "cannot listen at \(path)/below/health: No such file or directory")
            }
        }
    }
}
