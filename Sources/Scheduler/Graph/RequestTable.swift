@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The index of a request in the ``RequestTable``.
struct RequestIndex: Hashable, Sendable {
    fileprivate let position: Int32
}

/// The different requests of the unfinished jobs' templates, each stored once.
///
/// A million operations with ten different requests wait in ten lines of each queue, and compare their requests by number.
struct RequestTable: Sendable {
    private struct Entry {
        var request: ResourceRequest
        /// The number of templates with the request; 0 for a free place.
        var uses: Int
    }

    private var entries: [Entry] = []
    private var free: [RequestIndex] = []
    private var indexes: [ResourceRequest: RequestIndex] = [:]

    /// Whether no unfinished job asks its workers for anything.
    @inline(__always) var isEmpty: Bool { entries.isEmpty }

    /// Whether an unfinished job takes units of a shared limit.
    ///
    /// - Complexity: O(different requests).
    func takesLimit(_ name: String) -> Bool { indexes.keys.contains { $0.limits[name] != nil } }

    /// A request in use.
    subscript(index: RequestIndex) -> ResourceRequest { entries[Int(index.position)].request }

    /// The indexes of the templates' requests, nil for a template that asks for nothing; empty if all are nil.
    ///
    /// - Complexity: O(templates).
    mutating func intern(requestsOf templates: [Template]) -> [RequestIndex?] {
        guard templates.contains(where: \.hasRequest) else { return [] }
        return templates.map { $0.hasRequest ? intern($0.request) : nil }
    }

    /// Gives back the result of ``intern(requestsOf:)``, or of some ``intern(_:)``.
    mutating func release(_ requests: [RequestIndex?]) {
        for case let index? in requests {
            let position = Int(index.position)
            entries[position].uses -= 1
            invariant(entries[position].uses >= 0, "A request is released more often than used.")
            guard entries[position].uses == 0 else { continue }
            invariant(indexes[entries[position].request] == index, "A request is not found by its content.")
            indexes[entries[position].request] = nil
            entries[position].request = ResourceRequest()
            free.append(index)
        }
        if indexes.isEmpty { (entries, free) = ([], []) }
    }

    /// The index of a request, which counts as a further use until ``release(_:)``.
    mutating func intern(_ request: ResourceRequest) -> RequestIndex {
        if let known = indexes[request] {
            entries[Int(known.position)].uses += 1
            return known
        }
        let entry = Entry(request: request, uses: 1)
        let index: RequestIndex
        if let vacant = free.popLast() {
            index = vacant
            invariant(entries[Int(vacant.position)].uses == 0, "A request takes the place of one that is used.")
            entries[Int(index.position)] = entry
        } else {
            index = RequestIndex(position: Int32(entries.count))
            entries.append(entry)
        }
        indexes[request] = index
        return index
    }
}
