@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

extension CancelCommand {
    /// The jobs that `--all` is about.
    struct Jobs {
        private static let mostNamed = 5

        /// The jobs, newest first.
        private(set) var numbers: [JobNumber] = []
        private var unfinished = 0
        private var labels: [String] = []
        private let owner: String

        /// Finds the unfinished jobs.
        ///
        /// - Parameter key: the key that the jobs were submitted with, nil where there are no keys; nil for all jobs.
        init(of key: String??, _ resolver: AddressResolver) async throws {
            owner = key.map { $0.map { "of \($0.asShown)" } ?? "without a key" } ?? "of everyone"
            var found: [(job: JobNumber, label: String, unfinished: Int)] = []
            try await resolver.readJobs { page in
                for job in page where job.state != .finished && key.map({ job.by == $0 }) ?? true {
                    let label = job.job.description + (job.name.map { " (\($0.asShown))" } ?? "")
                    found.append((job.job, label, job.counts.unfinished))
                }
                return true
            }
            numbers = found.map(\.job)
            unfinished = found.reduce(0) { $0 + $1.unfinished }
            labels = found.prefix(Self.mostNamed).map(\.label)
        }

        /// The jobs in a sentence: `2 jobs of me, with 5 unfinished operations: 13, 12 (nightly)`.
        var text: String {
            let jobs = numbers.count == 1 ? "one job" : "\(numbers.count) jobs"
            let operations = unfinished == 1 ? "one unfinished operation" : "\(unfinished) unfinished operations"
            let more = numbers.count > labels.count ? ", and \(numbers.count - labels.count) more" : ""
            return "\(jobs) \(owner), with \(operations): \(labels.joined(separator: ", "))\(more)"
        }

        /// Asks the user on a terminal.
        ///
        /// - Throws: ``CommandFailure`` without a terminal, and ``QuietExit`` for another answer than yes.
        func confirm() throws {
            try Confirmation(
                question: "Cancel \(text)?",
                effect: "This would cancel \(text).",
                refusal: "Nothing was cancelled."
            ).ask()
        }
    }
}
