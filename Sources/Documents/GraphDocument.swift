@_spi(Baton) public import BatonOperations

/// A part of a job as a graph file: what stands behind `export JOB`.
@_spi(Baton) public struct GraphDocument: Document {
    /// A dependency.
    public struct Dependency: Document {
        /// The index of the first operation of an entry of the same job; nil for other jobs.
        public var first: UInt32?
        /// The name of that entry; nil for none.
        public var name: String?
        /// The operation, array or job of an earlier submission; nil for the same job.
        public var address: String?
        /// The required kind of end.
        public var condition: DependencyCondition
        /// Whether each element of an array depends on the element at the same position; absent unless it does.
        @IfPresent public var isElementwise: Bool?
        /// The number of the element of the array of the same job; absent for the whole entry.
        @IfPresent public var element: Int64?

        /// Describes a dependency.
        public init(
            first: UInt32?,
            name: String?,
            address: String?,
            condition: DependencyCondition,
            isElementwise: Bool = false,
            element: Int64? = nil
        ) {
            self.first = first
            self.name = name
            self.address = address
            self.condition = condition
            self.isElementwise = isElementwise ? true : nil
            self.element = element
        }
    }

    /// An operation, an array, or a part of an array.
    public struct Entry: Document {
        /// The index of the first operation of the whole entry.
        public var first: UInt32
        /// How many operations the whole entry has.
        public var count: UInt32
        /// The name; nil for none.
        public var name: String?
        /// The work, as the member of a graph file.
        public var work: String
        /// The other members in a graph file, except those about dependencies and the array; empty for none.
        public var settings: String
        /// The dependencies, in their order.
        public var dependencies: [Dependency]
        /// The range of an array of numbers: `1-9:2`; nil for other entries.
        public var range: String?
        /// The items of an array, or of a part of an array; nil for other entries.
        public var items: [String]?
        /// The numbers of these items in an array whose numbers differ from the positions; otherwise nil.
        public var numbers: [Int64]?
        /// The position of the first of these items in the array.
        public var position: UInt32
        /// The names of the environment variables, whose values are left out.
        public var environment: [String]
        /// Whether the bytes of standard input are left out.
        public var leavesOutInput: Bool

        /// Describes an entry.
        public init(
            first: UInt32,
            count: UInt32,
            name: String?,
            work: String,
            settings: String,
            dependencies: [Dependency],
            range: String? = nil,
            items: [String]? = nil,
            numbers: [Int64]? = nil,
            position: UInt32 = 0,
            environment: [String] = [],
            leavesOutInput: Bool = false
        ) {
            self.first = first
            self.count = count
            self.name = name
            self.work = work
            self.settings = settings
            self.dependencies = dependencies
            self.range = range
            self.items = items
            self.numbers = numbers
            self.position = position
            self.environment = environment
            self.leavesOutInput = leavesOutInput
        }
    }

    /// The job's number.
    public var job: JobNumber
    /// The job's name; nil for a job without a name.
    public var name: String?
    /// The members of a graph file about the whole job.
    public var head: [String]
    /// The names of the environment variables of the job's hooks, whose values are left out.
    public var environment: [String]
    /// The entries, in their order.
    public var entries: [Entry]
    /// The first index of the next part; nil for the last part.
    public var next: UInt32?

    /// Describes a part of a job.
    public init(
        job: JobNumber,
        name: String?,
        head: [String],
        environment: [String],
        entries: [Entry],
        next: UInt32?
    ) {
        self.job = job
        self.name = name
        self.head = head
        self.environment = environment
        self.entries = entries
        self.next = next
    }
}
