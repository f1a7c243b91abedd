import BatonOperations

/// The names of the files in which one operation finds the results of others; see ``ResultSource/fileName`` for the rule.
struct InputNames {
    /// A dependency of the operation.
    struct Source {
        /// The job that it is in.
        var job: JobNumber
        /// The operations of that job that it means.
        var range: ClosedRange<UInt32>
        /// The name of the operation, element or array that it means; nil for one without a name, and for a job as a whole.
        var name: String?
    }

    /// What the name of a file is made of, beside the operation's address.
    struct Element {
        /// The name of the entry, where it has one.
        var name: String?
        /// The number in the array; nil where it is none.
        var number: Int64?

        /// The name that tells it apart within its job; nil where it has none.
        var fullName: String? {
            guard let name else { return nil }
            return number.map { "\(name).\($0)" } ?? name
        }
    }

    private let job: JobNumber
    /// The jobs in which the dependencies mean something by a name.
    private var jobs: [String: Set<JobNumber>] = [:]
    private var taken: Set<String> = []

    /// Prepares the names of the inputs of an operation in a job, by all of its dependencies: what a file is called must not
    /// depend on who else left a result.
    init(job: JobNumber, sources: [Source]) {
        self.job = job
        for source in sources {
            if let name = source.name { jobs[name, default: []].insert(source.job) }
        }
    }

    /// Names the result of an operation that a dependency means; each operation may be asked for once.
    mutating func name(_ operation: OperationID, _ element: Element, of source: Source) -> ResultSource {
        let isOwn = operation.job == job
        let address = "\(operation.job).\(operation.index)"
        var name: String
        if let fullName = element.fullName {
            let isPlain = isOwn || source.name.map { jobs[$0]?.count == 1 } ?? false
            name = isPlain ? fullName : "\(operation.job).\(fullName)"
        } else {
            name = isOwn ? "\(operation.index)" : address
        }
        // An operation may have the very name that an array's element gets: neither may take the other's place.
        if !taken.insert(name).inserted {
            name = address
            taken.insert(name)
        }
        return ResultSource(operation: operation, fileName: name)
    }
}
