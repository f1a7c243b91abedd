@_spi(Baton) package import BatonOperations

/// The names of the files with the results of an operation's dependencies; see ``ResultSource/fileName`` for the rule.
package struct InputNames {
    /// A dependency of the operation.
    package struct Source {
        /// The job of the dependency.
        package var job: JobNumber
        /// The operations of the job that the dependency covers.
        package var range: ClosedRange<UInt32>
        /// The name of the operation, element or array; nil for an operation without a name, and for a whole job.
        package var name: String?

        /// Whether the dependency is a whole job, whatever its number of operations.
        package var isWholeJob = false

        /// Describes a dependency on operations.
        package init(job: JobNumber, range: ClosedRange<UInt32>, name: String? = nil) {
            self.job = job
            self.range = range
            self.name = name
        }

        /// Describes a dependency on all operations of a job.
        package init(wholeJob job: JobNumber) {
            self.init(job: job, range: 0...UInt32.max)
            isWholeJob = true
        }
    }

    /// The parts of a file's name, beside the operation's address.
    package struct Element {
        /// The name of the entry; nil for none.
        package var name: String?
        /// The number in the array; nil outside arrays.
        package var number: Int64?
        /// The item of the element, if it is to be called by it.
        package var item: String?

        /// Describes an operation or element.
        package init(name: String? = nil, number: Int64? = nil, item: String? = nil) {
            self.name = name
            self.number = number
            self.item = item
        }

        /// The name within the job; nil for an entry without a name.
        package var fullName: String? {
            guard let name else { return nil }
            return number.map { "\(name).\($0)" } ?? name
        }

        /// The name with the item in place of the number; nil without one.
        fileprivate var nameByItem: String? {
            guard let name, let item else { return nil }
            return "\(name).\(OutputFilePath.fileName(of: item))"
        }
    }

    /// The most bytes of a file's name.
    private static let longestName = 255

    private let job: JobNumber
    /// The jobs in which dependencies refer to each name.
    private var jobs: [String: Set<JobNumber>] = [:]
    private var taken: Set<String> = []

    /// Prepares the names of the inputs of an operation in a job, from all its dependencies.
    ///
    /// The name of a file must not depend on the other operations that left results.
    package init(job: JobNumber, sources: [Source]) {
        self.job = job
        for source in sources {
            if let name = source.name { jobs[name, default: []].insert(source.job) }
        }
    }

    /// Names the result of an operation that a dependency covers; allowed once for each operation.
    package mutating func name(_ operation: OperationID, _ element: Element, of source: Source) -> ResultSource {
        let isOwn = operation.job == job
        let address = "\(operation.job).\(operation.index)"
        var name: String
        if let fullName = element.fullName {
            let isPlain = isOwn || source.name.map { jobs[$0]?.count == 1 } ?? false
            let prefix = isPlain ? "" : "\(operation.job)."
            if let byItem = element.nameByItem.map({ prefix + $0 }), byItem.utf8.count <= Self.longestName,
                taken.insert(byItem).inserted
            {
                return ResultSource(operation: operation, fileName: byItem)
            }
            name = prefix + fullName
        } else {
            name = isOwn ? "\(operation.index)" : address
        }
        // An operation may have the same name as an array element: neither file may replace the other.
        if !taken.insert(name).inserted {
            name = address
            taken.insert(name)
        }
        return ResultSource(operation: operation, fileName: name)
    }

    /// Names the result of an operation that left files, too: `NAME.result`, since the folder with the files is `NAME`.
    ///
    /// - Parameter folder: the operation with the name of the folder.
    package mutating func result(beside folder: ResultSource) -> ResultSource {
        var result = folder
        result.fileName += Self.resultSuffix
        if result.fileName.utf8.count <= Self.longestName, taken.insert(result.fileName).inserted { return result }
        result.fileName = "\(folder.operation.job).\(folder.operation.index)\(Self.resultSuffix)"
        taken.insert(result.fileName)
        return result
    }

    private static let resultSuffix = ".result"
}
