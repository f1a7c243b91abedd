@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTexts
import Synchronization
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import baton_cli

/// What others wrote reaches the terminal without characters that move the cursor, imitate a line, or hide or turn round text.
@Suite("Hostile text", .timeLimit(.minutes(60)))
struct HostileTextTests {
    /// A text with each kind of such characters; its second line looks like a line of Baton.
    private static let text = "evil\nFORGED \u{1B}[2J\u{7}\u{9B}3J\u{202E}\u{2066}\u{200B}\r\u{2028}\u{85}\u{0}end"
    private static let variants = 12

    /// The commands that show documents, and some that show answers to changes.
    private static let commands = [
        ["workers"], ["workers", "--all"], ["workers", "w1"], ["status"], ["list"], ["show", "12"], ["show", "12/0"],
        ["explain", "12"], ["explain", "12/0"], ["failures", "12"], ["summary", "12"], ["queue", "list"],
        ["queue", "show", "q"], ["top", "--once"], ["doctor"], ["hold", "12/0"], ["retry", "12", "--again"],
        ["attach", "12"], ["watch", "--since", "0"], ["limit", "list"],
    ]

    /// The characters in a text that must not be in it, line feeds excepted.
    private static func wrong(in text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { $0 != "\n" && (PrintableText.isControl($0) || PrintableText.isHidden($0)) }
    }

    /// The document that a request asks for, full of hostile texts.
    private static func document(for request: DocumentRequest, _ variant: Int) -> [UInt8] {
        func sample(_ type: (some Document).Type) -> [UInt8] {
            SampleOfSchema.document(type, text: text, variant: variant)
        }
        return switch request {
        case .job: sample(JobDocument.self)
        case .operation: sample(OperationDocument.self)
        case .explain: sample(ExplainDocument.self)
        case .jobs: sample(JobListDocument.self)
        case .queue: sample(QueueDocument.self)
        case .queues: sample(QueueListDocument.self)
        case .limits: sample(LimitListDocument.self)
        case .workers, .allWorkers: sample(WorkersDocument.self)
        case .worker: sample(WorkerDocument.self)
        case .status: sample(StatusDocument.self)
        case .standstill: sample(StandstillDocument.self)
        case .overview: sample(OverviewDocument.self)
        case .criticalPath: sample(CriticalPathDocument.self)
        case .waiting: sample(WaitingDocument.self)
        case .metrics: sample(MetricsDocument.self)
        case .throughput: sample(ThroughputDocument.self)
        case .schedules: sample(ScheduleListDocument.self)
        case .schedule: sample(ScheduleDocument.self)
        case .failures: sample(FailuresDocument.self)
        case .names: sample(NamesDocument.self)
        case .files: sample(FilesDocument.self)
        case .demand: sample(DemandDocument.self)
        // No document, and only for a coordinator that joins.
        case .coordinatorKeys: Array(text.utf8)
        case .summary: sample(SummaryDocument.self)
        case .graph: sample(GraphDocument.self)
        }
    }

    private static func reply(to request: Request, _ variant: Int) -> Reply {
        switch request {
        case .document(let wanted): .document(document(for: wanted, variant))
        case .hold: .changed(ChangeReport(changed: 0, notes: [text]))
        case .wait: .progress(failedEnd)
        case .watch(let number, _, _, _):
            // The second request ends the command, with a text of its own.
            number == 0
                ? .events(
                    EventPage(lines: SampleOfSchema.document(EventDocument.self, text: text, variant: variant), last: 1)
                ) : .refused(Refusal(.invalid, "There are no more events."))
        default: .refused(Refusal(.invalid, text))
        }
    }

    /// The end of a job with a failed operation.
    private static var failedEnd: WaitProgress {
        var counts = JobCounts()
        counts.failed = 1
        return WaitProgress(counts: counts, isFinished: true)
    }

    @Test("No command shows a control character, a hidden one, or a line that another wrote", arguments: commands)
    func output(of command: [String]) async throws {
        let variant = Mutex(0)
        let coordinator = try ScriptedCoordinator.answering { Self.reply(to: $0, variant.withLock(\.self)) }
        try await withCluster(workers: nil) { cluster in
            for number in 0..<Self.variants {
                variant.withLock { $0 = number }
                let result = try await cluster.baton(command + ["--insecure", "--coordinator", coordinator.endpoint])
                let all = result.output + "\n" + result.errors
                #expect(
                    Self.wrong(in: all).isEmpty,
                    "variant \(number): \(Self.wrong(in: all)) in \(all.debugDescription)"
                )
                #expect(!all.split(separator: "\n").contains { $0.hasPrefix("FORGED") }, "variant \(number): \(all)")
                #expect(!all.contains("cannot read"), "variant \(number): \(all)")
                // The text is there, made printable: the command has shown the document.
                #expect(all.contains("FORGED"), "variant \(number): \(result)")
            }
        }
        try await onThreadOfItsOwn { try coordinator.close() }
    }

    @Test(
        "A document that is read for people has printable texts in all its members, and is itself where it becomes JSON"
    )
    func documents() throws {
        func check<D: Document>(_ type: D.Type) throws {
            for variant in 0..<Self.variants {
                let bytes = SampleOfSchema.document(type, text: Self.text, variant: variant)
                var exact = try DocumentReader.read(type, from: bytes, isExact: true)
                var texts: [String] = []
                exact.changeTexts {
                    texts.append($0)
                    return $0
                }
                #expect(texts.contains { !Self.wrong(in: $0).isEmpty }, "\(type)")
                var shown = try DocumentReader.read(type, from: bytes)
                texts = []
                shown.changeTexts {
                    texts.append($0)
                    return $0
                }
                #expect(texts.allSatisfy { Self.wrong(in: $0).isEmpty }, "\(type): \(texts)")
            }
        }
        try check(EventDocument.self)
        try check(OperationDocument.self)
        try check(WorkersDocument.self)
        try check(FailuresDocument.self)
        try check(ExplainDocument.self)
        try check(OverviewDocument.self)
        try check(DoctorDocument.self)
        try check(HealthDocument.self)
        try check(JobDocument.self)
        try check(JobListDocument.self)
        try check(QueueDocument.self)
        try check(QueueListDocument.self)
        try check(WorkerDocument.self)
        try check(StatusDocument.self)
        try check(StandstillDocument.self)
        try check(WaitingDocument.self)
        try check(NamesDocument.self)
        try check(FilesDocument.self)
        try check(SummaryDocument.self)
    }

    @Test("The lines of standard error stay lines, also those that end with CR LF")
    func lines() {
        var hook = HookDocument(worker: nil)
        hook.stderr = "a\r\nb\u{7}\nc\r"
        hook.changeTexts(PrintableText.of)
        #expect(hook.stderr == "a\nb \nc ")
    }

    @Test("An event with hostile texts is one line")
    func events() throws {
        for variant in 0..<Self.variants {
            let bytes = SampleOfSchema.document(EventDocument.self, text: Self.text, variant: variant)
            let event = try DocumentReader.read(EventDocument.self, from: bytes)
            var text = EventText(style: .plain, today: event.time?.localDay ?? "")
            let line = text.line(for: event, name: nil)
            #expect(Self.wrong(in: line).isEmpty && !line.contains("\n"), "\(line.debugDescription)")
        }
    }
}
