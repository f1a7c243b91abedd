@_spi(Baton) import BatonOperations

/// The end of elements of which an array is to be told that waits for them one by one.
struct ElementNews: Sendable {
    /// The waiting array.
    var dependent: ElementTable.Dependent
    /// The job of the elements.
    var job: JobNumber
    /// The elements.
    var operations: Range<UInt32>
    /// The end of the first of them; see ``BatonOperations/DependencyEnd/followsOperation``.
    var end: DependencyEnd
    /// Whether they finished by their attempts.
    var hasRun: Bool
}

/// The arrays of unfinished jobs on whose elements other arrays depend one by one (EL1).
///
/// A dependency takes one place here, however long the arrays are: the elements that wait are found by their positions.
struct ElementTable: Sendable {
    /// An array whose elements wait for the elements at the same positions of another array.
    struct Dependent: Sendable {
        /// The job of the waiting array, possibly finished meanwhile.
        var job: SlabReference<LiveJob>
        /// The position of the waiting array's entry in its job.
        var entry: Int
        /// The operations for which the elements wait, one for each.
        var targets: Range<UInt32>
        /// The condition to be met by each of them.
        var condition: DependencyCondition
    }

    /// An array of which elements are targets.
    private struct Source: Hashable {
        var job: JobIndex
        var array: ArrayIndex
    }

    private var dependents: [Source: [Dependent]] = [:]
    /// How elements of arrays have ended since a submission asked the record for the ends of earlier ones.
    private var ends: [Source: ElementEnds] = [:]
    /// When the elements became ready of which several share a node, by their positions.
    private var readyMoments: [Source: [Timestamp]] = [:]

    /// Whether nothing depends on elements, nobody asks for their ends, and none of those that became ready one by one share a node.
    ///
    /// Stored, because each end of an element of any array asks.
    private(set) var isEmpty = true

    /// Adds an array that waits for elements of another array.
    mutating func add(_ dependent: Dependent, to array: ArrayIndex, of job: JobIndex) {
        dependents[Source(job: job, array: array), default: []].append(dependent)
        isEmpty = false
    }

    /// The arrays that wait for elements of an array.
    func dependents(on array: ArrayIndex, of job: JobIndex) -> [Dependent] {
        dependents[Source(job: job, array: array)] ?? []
    }

    /// All waiting arrays, each with the job of its targets.
    var all: [(job: JobIndex, dependent: Dependent)] {
        dependents.flatMap { source, waiting in waiting.map { (job: source.job, dependent: $0) } }
    }

    /// Keeps the ends of an array's elements from now on.
    mutating func keepEnds(of array: ArrayIndex, of job: JobIndex) {
        let key = Source(job: job, array: array)
        if ends[key] == nil { ends[key] = ElementEnds() }
        isEmpty = false
    }

    /// The ends that were kept of an array's elements.
    func keptEnds(of array: ArrayIndex, of job: JobIndex) -> ElementEnds {
        ends[Source(job: job, array: array)] ?? ElementEnds()
    }

    /// Notes the end of elements of an array.
    mutating func note(_ end: DependencyEnd, of operations: Range<UInt32>, in array: ArrayIndex, of job: JobIndex) {
        ends[Source(job: job, array: array)]?.insert(operations, end)
    }

    /// Notes when elements of an array became ready that are to share a node with others.
    ///
    /// - Parameter count: the number of elements of the array.
    mutating func noteReady(
        _ moment: Timestamp,
        at positions: Range<Int>,
        in array: ArrayIndex,
        of job: JobIndex,
        count: Int
    ) {
        let key = Source(job: job, array: array)
        isEmpty = false
        // In place: a copy for each element would take longer than all the rest.
        readyMoments[key, default: Array(repeating: moment, count: count)].withUnsafeMutableBufferPointer { moments in
            for position in positions { moments[position] = moment }
        }
    }

    /// When an element of an array became ready; nil unless it shared a node with others.
    func readyMoment(at position: Int, in array: ArrayIndex, of job: JobIndex) -> Timestamp? {
        readyMoments[Source(job: job, array: array)]?[position]
    }

    /// Forgets the arrays of a job.
    mutating func remove(_ job: JobIndex) {
        for key in dependents.keys where key.job == job { dependents[key] = nil }
        for key in ends.keys where key.job == job { ends[key] = nil }
        for key in readyMoments.keys where key.job == job { readyMoments[key] = nil }
        isEmpty = dependents.isEmpty && ends.isEmpty && readyMoments.isEmpty
    }
}
