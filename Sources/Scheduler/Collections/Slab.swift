@_spi(Baton) import BatonInvariants

/// An element that a ``Slab`` can hold.
protocol Vacatable {
    /// An element that owns nothing, for free places.
    static var vacant: Self { get }
}

/// The position of an element in a ``Slab``, in 4 bytes.
///
/// The type is not nested in the slab: the constraint of the slab's element would make the runtime search for conformances.
struct SlabIndex<Element>: Positioned, Comparable, Sendable {
    let position: Int32

    fileprivate init(position: Int32) {
        self.position = position
    }

    static func < (left: Self, right: Self) -> Bool { left.position < right.position }
}

/// An index with a generation that distinguishes the successive elements at the index.
struct SlabReference<Element>: Equatable, Sendable {
    var index: SlabIndex<Element>
    var generation: UInt32
}

/// A table with stable indexes: an element keeps its index until its removal, and free indexes are used again.
struct Slab<Element: Vacatable> {
    typealias Index = SlabIndex<Element>
    typealias Reference = SlabReference<Element>

    /// Not an array of optionals: a read of an optional in place would copy it.
    private var elements: [Element] = []
    /// The generation of each index, odd if the index is taken.
    private var generations: [UInt32] = []
    private var free: [Index] = []
    /// The generation of a new index, above the generations of all earlier indexes.
    private var firstGeneration: UInt32 = 1

    /// The most indexes that an empty slab keeps.
    private static var keptIndexes: Int { 4096 }

    /// The number of elements.
    var count: Int { elements.count - free.count }

    /// The indexes of the elements.
    var indexes: some Sequence<Index> {
        generations.indices.lazy.filter { generations[$0] & 1 == 1 }.map { Index(position: Int32($0)) }
    }

    /// Reserves space for more elements at once.
    mutating func makeRoom(for number: Int) {
        elements.makeRoom(for: number - free.count)
        generations.makeRoom(for: number - free.count)
    }

    /// Puts an element at a free index.
    mutating func insert(_ element: Element) -> Index {
        if let index = free.popLast() {
            invariant(generations[Int(index.position)] & 1 == 0, "An element is put in the place of another one.")
            elements[Int(index.position)] = element
            generations[Int(index.position)] &+= 1
            return index
        }
        elements.append(element)
        generations.append(firstGeneration)
        invariant(generations.count == elements.count, "An element has no generation.")
        return Index(position: Int32(elements.count - 1))
    }

    /// Removes an element; references to the element no longer resolve.
    mutating func remove(at index: Index) {
        invariant(generations[Int(index.position)] & 1 == 1, "An element that is not in the table is removed.")
        elements[Int(index.position)] = Element.vacant
        generations[Int(index.position)] &+= 1
        free.append(index)
        if count == 0, elements.count > Self.keptIndexes { letGo() }
    }

    /// Frees the space of an empty slab; references to former elements still do not resolve.
    private mutating func letGo() {
        firstGeneration = (generations.max() ?? 0) | 1
        elements = []
        generations = []
        free = []
    }

    /// The element at a taken index.
    subscript(index: Index) -> Element {
        // Inlined: a read of a part of an element copies no more than this part. Not `_read`: the compiler reads a yielded
        // value of this size after the end of the accessor.
        @inline(__always) get { elements[Int(index.position)] }
        @inline(__always) _modify { yield &elements[Int(index.position)] }
    }

    /// A reference to the element at an index.
    func reference(to index: Index) -> Reference {
        Reference(index: index, generation: generations[Int(index.position)])
    }

    /// The index of a reference, or nil if the element has gone.
    @inline(__always)
    func resolve(_ reference: Reference) -> Index? {
        let position = Int(reference.index.position)
        return generations.indices.contains(position) && generations[position] == reference.generation
            ? reference.index : nil
    }
}

extension Slab: Sendable where Element: Sendable {}

extension SlabIndex: HasUnusedValue {
    /// The index before the first element.
    static var unused: Self { Self(position: -1) }
}
