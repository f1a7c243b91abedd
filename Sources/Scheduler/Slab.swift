/// An element that a ``Slab`` can hold.
protocol Vacatable {
    /// An element that owns nothing, for free places.
    static var vacant: Self { get }
}

/// A table with stable places: an element keeps its place until its removal, and free places are used again.
struct Slab<Element: Vacatable> {
    /// A place in a slab, with a generation that distinguishes the successive elements of the place.
    struct Reference: Equatable {
        var place: Int32
        var generation: UInt32
    }

    /// Not an array of optionals: a read of an optional in place would copy it.
    private var elements: [Element] = []
    /// The generation of each place, odd if the place is taken.
    private var generations: [UInt32] = []
    private var free: [Int32] = []
    /// The generation of a new place, above the generations of all earlier places.
    private var firstGeneration: UInt32 = 1

    /// The most places that an empty slab keeps.
    private static var keptPlaces: Int { 4096 }

    /// The number of elements.
    var count: Int { elements.count - free.count }

    /// The places that hold an element.
    var places: some Sequence<Int32> {
        generations.indices.lazy.filter { generations[$0] & 1 == 1 }.map { Int32($0) }
    }

    /// Reserves space for more elements at once.
    mutating func makeRoom(for number: Int) {
        elements.makeRoom(for: number - free.count)
        generations.makeRoom(for: number - free.count)
    }

    /// Puts an element into a free place.
    mutating func insert(_ element: Element) -> Int32 {
        if let place = free.popLast() {
            elements[Int(place)] = element
            generations[Int(place)] &+= 1
            return place
        }
        elements.append(element)
        generations.append(firstGeneration)
        return Int32(elements.count - 1)
    }

    /// Empties a place; references to the element no longer resolve.
    mutating func remove(at place: Int32) {
        elements[Int(place)] = Element.vacant
        generations[Int(place)] &+= 1
        free.append(place)
        if count == 0, elements.count > Self.keptPlaces { letGo() }
    }

    /// Frees the space of an empty slab; references to former elements still do not resolve.
    private mutating func letGo() {
        firstGeneration = (generations.max() ?? 0) | 1
        elements = []
        generations = []
        free = []
    }

    /// The element at a taken place.
    subscript(place: Int32) -> Element {
        // Inlined: a read of a part of an element copies no more than this part.
        @inline(__always) _read { yield elements[Int(place)] }
        _modify { yield &elements[Int(place)] }
    }

    /// A reference to the element at a place.
    func reference(to place: Int32) -> Reference {
        Reference(place: place, generation: generations[Int(place)])
    }

    /// The place of a reference, or nil if the element has gone.
    func resolve(_ reference: Reference) -> Int32? {
        generations.indices.contains(Int(reference.place)) && generations[Int(reference.place)] == reference.generation
            ? reference.place : nil
    }
}

extension Slab: Sendable where Element: Sendable {}
extension Slab.Reference: Sendable {}
