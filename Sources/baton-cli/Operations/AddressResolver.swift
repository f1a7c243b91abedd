@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Finds the jobs and operations that a user means.
struct AddressResolver {
    /// The most addresses in one request.
    static let addressesOfRequest = WireLimits.maximumAddressCount
    private static let jobsOfPage: UInt32 = 1000

    private let connection: ClientConnection

    init(on connection: ClientConnection) {
        self.connection = connection
    }

    /// The addresses for some patterns, in their order; asks nothing for plain addresses.
    ///
    /// - Throws: ``CommandFailure`` with 66 if there is no such job or name.
    func addresses(of patterns: [AddressPattern]) async throws -> [Address] {
        var addresses: [Address] = []
        for pattern in patterns { addresses += try await self.addresses(of: pattern) }
        return addresses
    }

    /// The single address for a pattern.
    ///
    /// - Parameter advice: how to do with several addresses what a command does with one; nil if it cannot.
    /// - Throws: ``CommandFailure`` with 65 if the pattern stands for several addresses.
    func address(of pattern: AddressPattern, orElse advice: (() -> String)? = nil) async throws -> Address {
        let addresses = try await self.addresses(of: pattern)
        if addresses.count == 1 {
            switch addresses[0] {
            case .job, .named, .operation: return addresses[0]
            case .operations: break
            }
        }
        throw CommandFailure(
            ExitStatus.refusedInput,
            code: "several",
            "\(pattern.text.asShown) stands for several operations, and this command takes one.",
            advice: "Name one of them, such as \(addresses.first?.first ?? "12/3")." + (advice.map { " \($0())" } ?? "")
        )
    }

    /// Requests a change of any number of operations, in parts that fit into a request.
    func change(_ patterns: [AddressPattern], _ request: ([Address]) -> Request) async throws -> ChangeReport {
        try await change(addresses(of: patterns), request)
    }

    /// Requests a change of any number of operations, in parts that fit into a request.
    func change(_ addresses: [Address], _ request: ([Address]) -> Request) async throws -> ChangeReport {
        var sum = ChangeReport(changed: 0)
        var rest = addresses[...]
        repeat {
            let part = Array(rest.prefix(Self.addressesOfRequest))
            rest = rest.dropFirst(part.count)
            let report = try await connection.change(request(part), timeout: GlobalOptions.answerTimeout)
            sum.changed += report.changed
            sum.notes += report.notes
            sum.unanswered += report.unanswered.filter { !sum.unanswered.contains($0) }
        } while !rest.isEmpty
        return sum
    }

    private func addresses(of pattern: AddressPattern) async throws -> [Address] {
        let job = try await number(of: pattern.job)
        if let addresses = pattern.addresses(in: job) { return addresses }
        guard case .pattern(let names) = pattern.part else { return [] }
        var ranges: [Range<UInt32>] = []
        var next: UInt32? = 0
        while let from = next {
            let page = try await self.names(in: job, matching: names.pattern, from: from)
            for entry in page.names {
                // Adjacent operations share one address, so that a request for a million operations stays short.
                if let last = ranges.last, last.upperBound == entry.first {
                    ranges[ranges.count - 1] = last.lowerBound..<entry.operations.upperBound
                } else {
                    ranges.append(entry.operations)
                }
            }
            next = page.next
        }
        guard !ranges.isEmpty else {
            throw CommandFailure(
                ExitStatus.notFound,
                code: "notFound",
                "No operation of job \(job) has a name that matches \"\(names.pattern.asShown)\".",
                advice: "See \"baton show \(job)\"."
            )
        }
        return ranges.map { Address(job, $0) }
    }

    private func names(in job: JobNumber, matching pattern: String?, from index: UInt32) async throws -> NamesDocument {
        let bytes = try await connection.document(
            .names(job, matching: pattern, from: index),
            timeout: GlobalOptions.answerTimeout
        )
        return try DocumentReader.exact(NamesDocument.self, from: bytes)
    }

    /// The numbers of the jobs that are meant, as ``number(of:)`` has them.
    func numbers(of jobs: [JobArgument]) async throws -> [JobNumber] {
        var numbers: [JobNumber] = []
        for job in jobs { numbers.append(try await number(of: job.job)) }
        return numbers
    }

    /// The number of the job that is meant.
    ///
    /// - Throws: ``CommandFailure`` with 66 if there is no such job; a job that is given by its number is not looked for.
    func number(of job: AddressPattern.Job) async throws -> JobNumber {
        switch job {
        case .number(let number): return number
        case .last:
            let key = try await ownKey()
            if let job = try await newest(where: { $0.by == key }) { return job }
            throw CommandFailure(
                ExitStatus.notFound,
                code: "notFound",
                "There is no job" + (key.map { " that was submitted with the key \($0.asShown)." } ?? "."),
                advice: "See \"baton list\"."
            )
        case .named(let name):
            if let job = try await newest(where: { $0.name == name }) { return job }
            throw CommandFailure(
                ExitStatus.notFound,
                code: "notFound",
                "There is no job with the name \"\(name.asShown)\".",
                advice: "See \"baton list\"."
            )
        }
    }

    /// The name of the key with which this command asks; nil without keys.
    func ownKey() async throws -> String? {
        let bytes = try await connection.document(.status, timeout: GlobalOptions.answerTimeout)
        return try DocumentReader.exact(StatusDocument.self, from: bytes).key?.name
    }

    private func newest(where isMeant: (JobListDocument.Job) -> Bool) async throws -> JobNumber? {
        var found: JobNumber?
        try await readJobs { page in
            found = page.first(where: isMeant)?.job
            return found == nil
        }
        return found
    }

    /// Passes the jobs to a closure, newest first, page by page; the closure returns whether to go on.
    func readJobs(_ body: ([JobListDocument.Job]) -> Bool) async throws {
        var before: JobNumber?
        // The newest job is usually the one, and a short page is fast.
        var limit: UInt32 = 20
        repeat {
            let bytes = try await connection.document(
                .jobs(before: before, limit: limit),
                timeout: GlobalOptions.answerTimeout
            )
            let page = try DocumentReader.exact(JobListDocument.self, from: bytes)
            guard body(page.jobs) else { return }
            before = page.next
            limit = Self.jobsOfPage
        } while before != nil
    }
}

extension Address {
    /// The address of the first operation among several.
    fileprivate var first: String {
        if case .operations(let job, let range) = self { "\(job)/\(range.lowerBound)" } else { asShown }
    }
}
