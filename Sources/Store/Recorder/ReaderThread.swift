@_spi(Baton) import BatonThreads

/// Answers questions beside the recorder's thread, from a connection of its own, so that no question delays a commit.
final class ReaderThread: Sendable {
    /// A question, for the reader of the thread.
    typealias Question = @Sendable (any RecordReader) -> Void

    private let mailbox: Mailbox<Question, SemaphoreBell>
    private let thread: SystemThread

    /// Starts the thread and hands the reader over to it.
    init(_ reader: sending any RecordReader, named name: StaticString) throws(ThreadFailure) {
        let mailbox = Mailbox<Question, SemaphoreBell>(bell: SemaphoreBell())
        self.mailbox = mailbox
        thread = try SystemThread(named: name) {
            while true {
                let taken = mailbox.take(mayThenSleep: true)
                // A moment for each question: the record cannot shorten its log while a moment lasts.
                for question in taken.elements { reader.atOneMoment { question(reader) } }
                guard taken.elements.isEmpty else { continue }
                if taken.isClosed { break }
                mailbox.bell.wait()
            }
            reader.close()
        }
    }

    /// Asks a question, about everything committed up to now and possibly more; never blocks.
    func ask(_ question: @escaping Question) { mailbox.post(question) }

    /// Answers all questions, closes the reader, and returns afterwards.
    func shutDown() {
        mailbox.close()
        thread.join()
    }
}
