@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

/// Finds the targets of a request's addresses in the record.
///
/// Each job is looked up once: thousands of addresses of one job, with a question each, would keep the record from commits for
/// seconds.
struct StoredTargets {
    private let store: any RecordReader
    /// The numbers of operations of the jobs so far; nil for a job that is not there.
    private var counts: [JobNumber: Int?] = [:]

    init(_ store: any RecordReader) {
        self.store = store
    }

    /// The target of an address; nil if the address does not exist.
    mutating func target(of address: Address) throws(StoreError) -> Target? {
        switch address {
        case .job(let job):
            return try count(of: job) == nil ? nil : .job(job)
        case .operation(let id):
            return try count(of: id.job).flatMap { id.index < $0 ? .operation(id) : nil }
        case .operations(let job, let range):
            return try count(of: job).flatMap { range.upperBound > $0 ? nil : .operations(job, range) }
        case .named(let job, let name):
            return try store.operations(named: name, in: job).map { .operations(job, $0) }
        }
    }

    private mutating func count(of job: JobNumber) throws(StoreError) -> Int? {
        if let known = counts[job] { return known }
        let count = try store.job(job)?.operations
        counts[job] = .some(count)
        return count
    }
}
