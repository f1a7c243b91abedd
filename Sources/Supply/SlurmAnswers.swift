/// What the programs of Slurm print.
@_spi(Baton) public enum SlurmAnswers {
    /// The end and the output of a program.
    public struct Program: Hashable, Sendable {
        /// The end of a program.
        public enum End: Hashable, Sendable {
            /// It exited with a status.
            case exited(Int32)
            /// A signal ended it.
            case signalled(Int32)
            /// It did not end in time, and was killed.
            case late
        }

        /// The name of the program.
        public var name: String
        /// How it ended.
        public var end: End
        /// What it printed to standard output.
        public var output: String
        /// What it printed to standard error.
        public var error: String

        /// Describes a run.
        public init(name: String, end: End, output: String = "", error: String = "") {
            self.name = name
            self.end = end
            self.output = output
            self.error = error
        }

        /// The sentence about the failure of the program; nil without a failure.
        public var failure: String? {
            let words = SlurmAnswers.lastWords(error)
            let cause = words.isEmpty ? "" : ": \(words)"
            return switch end {
            case .exited(0): nil
            case .exited(let status): "\(name) failed with status \(status)\(cause)\(cause.isEmpty ? "." : "")"
            case .signalled(let number): "Signal \(number) ended \(name)\(cause)\(cause.isEmpty ? "." : "")"
            case .late: "\(name) did not answer in time\(cause)\(cause.isEmpty ? "." : "")"
            }
        }
    }

    /// The longest part of an error of Slurm in a sentence.
    private static let mostWords = 400

    /// The errors that a program printed, without its name in front of each, as the end of a sentence.
    static func lastWords(_ text: String) -> String {
        let lines = text.split(whereSeparator: \.isNewline).map { line in
            var line = Substring(line)
            for start in ["sbatch: ", "squeue: ", "scancel: ", "error: "] where line.hasPrefix(start) {
                line = line.dropFirst(start.count)
            }
            return line.drop { $0.isWhitespace }
        }.filter { !$0.isEmpty }
        var words = lines.joined(separator: "; ")
        if words.count > mostWords { words = String(words.prefix(mostWords)) + "..." }
        if let last = words.last, !words.isEmpty, !".!?".contains(last) { words += "." }
        return words
    }

    /// The outcome of a submission.
    public static func submission(_ run: Program) -> SubmissionOutcome {
        switch run.end {
        case .exited(0):
            // The job's number, and the cluster's name behind a semicolon where there are several.
            let line = run.output.split(whereSeparator: \.isNewline).first ?? ""
            let id = line.prefix { $0 != ";" }
            guard !id.isEmpty, id.allSatisfy({ $0.isASCII && $0.isNumber }) else {
                return .unknown("sbatch exited with 0, and printed no number of a job")
            }
            return .accepted(String(id))
        // slurmctld may have taken the job all the same: sbatch says "Socket timed out on send/recv operation".
        case .exited where run.error.contains("timed out"): return .unknown("slurmctld did not answer sbatch in time")
        case .exited: return .refused(run.failure ?? "sbatch failed.")
        case .signalled(let number): return .unknown("signal \(number) ended sbatch")
        case .late: return .unknown("sbatch did not answer in time")
        }
    }

    /// The jobs of a list; lines of other jobs are passed over.
    public static func jobs(_ output: String) -> [SupplyJob] {
        output.split(whereSeparator: \.isNewline).compactMap { line in
            let parts = line.split(separator: "|", maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count == 4, !parts[0].isEmpty else { return nil }
            // squeue may pad its last column.
            let text = String(parts[3].drop { $0.isWhitespace }).trimmedEnd
            guard let comment = SupplyComment(text) else { return nil }
            return SupplyJob(id: String(parts[0]), comment: comment, state: state(parts[1], reason: parts[2]))
        }
    }

    private static func state(_ word: Substring, reason: Substring) -> SupplyJob.State {
        let reason = reason.isEmpty || reason == "None" ? nil : String(reason)
        switch word {
        case "PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT":
            return .queued(reason: reason)
        case "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "LAUNCH_FAILED", "NODE_FAIL", "OUT_OF_MEMORY",
            "PREEMPTED", "RECONFIG_FAIL", "REVOKED", "TIMEOUT":
            return .ended(reason.map { "\(word): \($0)" } ?? String(word))
        // A job that is being completed has its processes yet, and an unknown state is no end.
        default: return .running
        }
    }
}

extension String {
    /// The text without white space at its end.
    fileprivate var trimmedEnd: String {
        var text = self
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
