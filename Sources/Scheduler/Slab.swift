/// What a ``Slab`` can hold.
protocol Vacatable {
    /// An element that owns nothing, for places that are free.
    static var vacant: Self { get }
}

/// A table whose free places are used again; an element keeps its place until it is removed.
struct Slab<Element: Vacatable> {
    /// A place in a slab together with what tells its successive tenants apart.
    struct Reference: Equatable {
        var place: Int32
        var generation: UInt32
    }

    /// Not of optionals: reading one of those in place would copy it.
    private var elements: [Element] = []
    /// Odd where the place is taken.
    private var generations: [UInt32] = []
    private var free: [Int32] = []
    /// What a new place's generation is: above those of all places that there were before.
    private var firstGeneration: UInt32 = 1

    /// How many places an empty slab keeps at most.
    private static var keptPlaces: Int { 4096 }

    /// How many elements there are.
    var count: Int { elements.count - free.count }

    /// The places that hold an element.
    var places: some Sequence<Int32> {
        generations.indices.lazy.filter { generations[$0] & 1 == 1 }.map { Int32($0) }
    }

    /// Gets the space for some more elements at once.
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

    /// Empties a place; references to its tenant no longer resolve.
    mutating func remove(at place: Int32) {
        elements[Int(place)] = Element.vacant
        generations[Int(place)] &+= 1
        free.append(place)
        if count == 0, elements.count > Self.keptPlaces { letGo() }
    }

    /// Gives back the space of an empty slab; references to its former tenants resolve no more than before.
    private mutating func letGo() {
        firstGeneration = (generations.max() ?? 0) | 1
        elements = []
        generations = []
        free = []
    }

    /// The element at a place that holds one.
    subscript(place: Int32) -> Element {
        // Inlined, so that reading a part of an element copies no more than that.
        @inline(__always) _read { yield elements[Int(place)] }
        _modify { yield &elements[Int(place)] }
    }

    /// A reference to the tenant of a place.
    func reference(to place: Int32) -> Reference {
        Reference(place: place, generation: generations[Int(place)])
    }

    /// The place that a reference means, or nil where its tenant has gone.
    func resolve(_ reference: Reference) -> Int32? {
        generations.indices.contains(Int(reference.place)) && generations[Int(reference.place)] == reference.generation
            ? reference.place : nil
    }
}

extension Slab: Sendable where Element: Sendable {}
extension Slab.Reference: Sendable {}
