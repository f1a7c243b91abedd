/// The threads that answer questions beside the recorder's thread.
struct ReaderThreads {
    /// The thread for questions that read a page at most; nil if only the record itself can answer.
    let pages: ReaderThread?
    /// The thread for questions that may read all of a job; nil if only the record itself can answer.
    let jobs: ReaderThread?

    /// The thread for the questions of a line.
    subscript(line: ReadingLine) -> ReaderThread? {
        switch line {
        case .pages: pages
        case .jobs: jobs
        }
    }

    /// Answers all questions, closes the readers, and returns afterwards.
    func shutDown() {
        pages?.shutDown()
        jobs?.shutDown()
    }
}
