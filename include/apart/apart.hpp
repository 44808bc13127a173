/** @file
 * apart/apart.hpp: apart for C++17, in one header on top of the C interface.
 *
 *     apart::hull rock = apart::hull::build(points);                       // owns; throws apart::error
 *     const apart_shape a = rock.shape(), b = apart_sphere(0.5);
 *     apart_result r = apart::distance(a, pose_a, b, pose_b);
 *
 *     apart_status status;                                                 // or nothing is thrown
 *     apart_result s = apart::distance(a, pose_a, b, pose_b, status);
 *
 *     apart::world world;
 *     apart_body_id id = world.add(apart::body(apart::solid(a), pose_a, user));
 *     for (const apart_world_pair &pair : world.below(0.1)) ...
 *     world.cast(apart::probe(apart::solid(b), pose_b), way, [&](const apart_world_cast_hit &hit) { return 1.0; });
 *
 * Shapes, poses, results and options are the C structs. What is owned is a class that frees it: hull, mesh, compound,
 * world. Whatever borrows (a sum, a solid, the shape of a hull) does not take temporaries: code that would dangle at
 * once does not compile. Every call that can fail exists twice: it throws apart::error, or takes an apart_status & as
 * its last argument, which is set, and throws nothing of its own. Callbacks may throw: the query ends, and the
 * exception arrives.
 * Read next: apart/apart.h, examples/15_cpp.cpp.
 */
#ifndef APART_APART_HPP
#define APART_APART_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "apart.h"

namespace apart {

/** ---- failures ---- */

/** What is thrown: the status, and its sentence as what(). */
class error : public std::runtime_error {
  public:
    explicit error(apart_status status) : std::runtime_error(apart_status_message(status)), status_(status) {}
    apart_status status() const noexcept { return status_; }

  private:
    apart_status status_;
};

/** Throws unless the status is APART_OK. */
inline void check(apart_status status)
{
    if (status != APART_OK) {
        throw error(status);
    }
}

/** ---- views ---- */

/** A pointer and a count, as std::span of C++20: of arrays, std::array, std::vector, and whatever has data() and size().
 */
template <class T> class view {
  public:
    constexpr view() noexcept = default;
    constexpr view(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <std::size_t N> constexpr view(T (&array)[N]) noexcept : data_(array), size_(N) {}
    template <class C, class = std::enable_if_t<std::is_convertible_v<
                           std::remove_pointer_t<decltype(std::declval<C &>().data())> (*)[], T (*)[]>>>
    constexpr view(C &&container) noexcept : data_(container.data()), size_(container.size())
    {
    }

    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }
    constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/** Points as the builders take them. */
inline apart_vertices vertices(view<const apart_vec3> points) noexcept
{
    return {points.data(), points.size(), sizeof(apart_vec3), APART_DOUBLE};
}

namespace detail {

/* Frees what a C function made. */
template <class T, void (*Free)(T *)> struct releaser {
    void operator()(T *object) const noexcept { Free(object); }
};
template <class T, void (*Free)(T *)> using owned = std::unique_ptr<T, releaser<T, Free>>;

/* Calls a function of C++ through a pointer of C. An exception waits until the query has ended. */
template <class F> struct call {
    F &function;
    std::exception_ptr thrown;

    template <class R, class... A> R operator()(R ended, A &&...arguments) noexcept
    {
        if (thrown) {
            return ended;
        }
        try {
            return static_cast<R>(function(std::forward<A>(arguments)...));
        } catch (...) {
            thrown = std::current_exception();
            return ended;
        }
    }
    void rethrow() const
    {
        if (thrown) {
            std::rethrow_exception(thrown);
        }
    }
};

} // namespace detail

/** ---- shapes that borrow: their operands have to have names ---- */

/** Minkowski sum; borrows both. */
inline apart_shape sum(const apart_shape &first, const apart_shape &second) { return apart_sum(&first, &second); }
apart_shape sum(const apart_shape &&, const apart_shape &) = delete;
apart_shape sum(const apart_shape &, const apart_shape &&) = delete;
apart_shape sum(const apart_shape &&, const apart_shape &&) = delete;

/** Convex hull of two shapes; borrows both. */
inline apart_shape hull_of_two(const apart_shape &first, const apart_shape &second)
{
    return apart_hull_of_two(&first, &second);
}
apart_shape hull_of_two(const apart_shape &&, const apart_shape &) = delete;
apart_shape hull_of_two(const apart_shape &, const apart_shape &&) = delete;
apart_shape hull_of_two(const apart_shape &&, const apart_shape &&) = delete;

/** Affine image; borrows the child. */
inline apart_shape affine(const apart_shape &child, const apart_mat3 &linear, const apart_vec3 &offset)
{
    return apart_affine(&child, linear, offset);
}
apart_shape affine(const apart_shape &&, const apart_mat3 &, const apart_vec3 &) = delete;

/** A point set; borrows the points, x y z each. */
inline apart_shape points(const std::vector<apart_vec3> &points)
{
    return apart_points(points.empty() ? nullptr : &points[0].x, points.size());
}
apart_shape points(const std::vector<apart_vec3> &&) = delete;

/** ---- owners ---- */

/** A convex hull. */
class hull {
  public:
    hull() = default;
    /** Takes what apart_hull_build and its like made. */
    explicit hull(apart_hull *made) noexcept : hull_(made) {}

    static hull build(view<const apart_vec3> points, apart_status &status,
                      const apart_hull_options *options = nullptr) noexcept
    {
        apart_hull *made = nullptr;
        status = apart_hull_build(points.empty() ? nullptr : &points.data()->x, points.size(), options, &made);
        return hull(made);
    }
    static hull build(view<const apart_vec3> points, const apart_hull_options *options = nullptr)
    {
        apart_status status;
        hull made = build(points, status, options);
        check(status);
        return made;
    }

    const apart_hull *get() const noexcept { return hull_.get(); }
    explicit operator bool() const noexcept { return hull_ != nullptr; }
    std::uint32_t vertex_count() const noexcept { return hull_ ? apart_hull_vertex_count(hull_.get()) : 0; }

    /** The hull as a shape, which borrows it. */
    apart_shape shape() const & { return apart_hull_shape(hull_.get()); }
    apart_shape shape() const && = delete;

  private:
    detail::owned<apart_hull, apart_hull_free> hull_;
};

/** A triangle mesh. */
class mesh {
  public:
    mesh() = default;
    explicit mesh(apart_mesh *made) noexcept : mesh_(made) {}

    /** Three vertex indices a triangle. */
    static mesh build(view<const apart_vec3> points, view<const std::uint32_t> triangles, apart_status &status,
                      const apart_mesh_options *options = nullptr) noexcept
    {
        apart_mesh *made = nullptr;
        const apart_vertices all = vertices(points);
        status = triangles.size() % 3 != 0
                     ? APART_ERR_SIZE
                     : apart_mesh_build(&all, triangles.data(), triangles.size() / 3, options, &made);
        return mesh(made);
    }
    static mesh build(view<const apart_vec3> points, view<const std::uint32_t> triangles,
                      const apart_mesh_options *options = nullptr)
    {
        apart_status status;
        mesh made = build(points, triangles, status, options);
        check(status);
        return made;
    }

    const apart_mesh *get() const noexcept { return mesh_.get(); }
    explicit operator bool() const noexcept { return mesh_ != nullptr; }
    const apart_mesh_report &report() const { return *apart_mesh_inspect(mesh_.get()); }

  private:
    detail::owned<apart_mesh, apart_mesh_free> mesh_;
};

/** A body of many convex parts; what their shapes borrow has to outlive it. */
class compound {
  public:
    compound() = default;
    explicit compound(apart_compound *made) noexcept : compound_(made) {}

    static compound build(view<const apart_part> parts, apart_status &status,
                          const apart_allocator *allocator = nullptr) noexcept
    {
        apart_compound *made = nullptr;
        status = apart_compound_build(parts.data(), parts.size(), allocator, &made);
        return compound(made);
    }
    static compound build(view<const apart_part> parts, const apart_allocator *allocator = nullptr)
    {
        apart_status status;
        compound made = build(parts, status, allocator);
        check(status);
        return made;
    }

    apart_compound *get() noexcept { return compound_.get(); }
    const apart_compound *get() const noexcept { return compound_.get(); }
    explicit operator bool() const noexcept { return compound_ != nullptr; }
    std::size_t size() const noexcept { return apart_compound_count(compound_.get()); }
    void set_user(std::size_t part, std::uint64_t user) { check(apart_compound_set_user(compound_.get(), part, user)); }

  private:
    detail::owned<apart_compound, apart_compound_free> compound_;
};

/** ---- solids: borrow, too ---- */

inline apart_solid solid(const apart_shape &shape) { return apart_solid_shape(&shape); }
inline apart_solid solid(const compound &parts) { return apart_solid_compound(parts.get()); }
inline apart_solid solid(const mesh &triangles) { return apart_solid_mesh(triangles.get()); }
inline apart_solid surface(const mesh &triangles) { return apart_solid_surface(triangles.get()); }
apart_solid solid(const apart_shape &&) = delete;
apart_solid solid(const compound &&) = delete;
apart_solid solid(const mesh &&) = delete;
apart_solid surface(const mesh &&) = delete;

/** ---- pairs ---- */

/** As apart_distance. */
inline apart_result distance(const apart_shape &a, const apart_pose &pose_a, const apart_shape &b,
                             const apart_pose &pose_b, apart_status &status, apart_cache *cache = nullptr,
                             const apart_options *options = nullptr) noexcept
{
    apart_result result = {};
    status = apart_distance(&a, &pose_a, &b, &pose_b, options, cache, &result);
    return result;
}
inline apart_result distance(const apart_shape &a, const apart_pose &pose_a, const apart_shape &b,
                             const apart_pose &pose_b, apart_cache *cache = nullptr,
                             const apart_options *options = nullptr)
{
    apart_status status;
    const apart_result result = distance(a, pose_a, b, pose_b, status, cache, options);
    check(status);
    return result;
}

/** As apart_compound_distance. */
inline apart_compound_result distance(apart_solid a, const apart_pose &pose_a, apart_solid b, const apart_pose &pose_b,
                                      apart_status &status, apart_compound_cache *cache = nullptr,
                                      const apart_options *options = nullptr) noexcept
{
    apart_compound_result result = {};
    status = apart_compound_distance(a, &pose_a, b, &pose_b, options, cache, &result);
    return result;
}
inline apart_compound_result distance(apart_solid a, const apart_pose &pose_a, apart_solid b, const apart_pose &pose_b,
                                      apart_compound_cache *cache = nullptr, const apart_options *options = nullptr)
{
    apart_status status;
    const apart_compound_result result = distance(a, pose_a, b, pose_b, status, cache, options);
    check(status);
    return result;
}

/** As apart_contact. */
inline apart_manifold contact(const apart_shape &a, const apart_pose &pose_a, const apart_shape &b,
                              const apart_pose &pose_b, double margin, apart_status &status,
                              apart_cache *cache = nullptr) noexcept
{
    apart_manifold manifold = {};
    apart_contact_options options = {};
    options.margin = margin;
    status = apart_contact(&a, &pose_a, &b, &pose_b, &options, cache, &manifold);
    return manifold;
}
inline apart_manifold contact(const apart_shape &a, const apart_pose &pose_a, const apart_shape &b,
                              const apart_pose &pose_b, double margin, apart_cache *cache = nullptr)
{
    apart_status status;
    const apart_manifold manifold = contact(a, pose_a, b, pose_b, margin, status, cache);
    check(status);
    return manifold;
}

/** As apart_compound_below: all pairs of parts nearer than `limit`. */
inline std::vector<apart_part_pair> below(apart_solid a, const apart_pose &pose_a, apart_solid b,
                                          const apart_pose &pose_b, double limit, apart_status &status)
{
    std::vector<apart_part_pair> pairs;
    apart_part_list list = {};
    do {
        pairs.resize(list.total > 16 ? list.total : 16);
        list.pairs = pairs.data();
        list.capacity = pairs.size();
        status = apart_compound_below(a, &pose_a, b, &pose_b, limit, &list);
    } while (status == APART_OK && list.total > list.count);
    pairs.resize(status == APART_OK ? list.count : 0);
    return pairs;
}
inline std::vector<apart_part_pair> below(apart_solid a, const apart_pose &pose_a, apart_solid b,
                                          const apart_pose &pose_b, double limit)
{
    apart_status status;
    std::vector<apart_part_pair> pairs = below(a, pose_a, b, pose_b, limit, status);
    check(status);
    return pairs;
}

/** ---- worlds ---- */

/** A body to add. */
inline apart_body_def body(apart_solid solid, const apart_pose &pose, std::uint64_t user = 0)
{
    apart_body_def def = {};
    def.solid = solid;
    def.pose = pose;
    def.user = user;
    return def;
}

/** A solid outside the world to query with. */
inline apart_probe probe(apart_solid solid, const apart_pose &pose, std::uint64_t mask = 0)
{
    apart_probe p = {};
    p.solid = solid;
    p.pose = pose;
    p.mask = mask;
    return p;
}

/** Many bodies. What their shapes borrow, compounds and meshes have to outlive the world. */
class world {
  public:
    explicit world(const apart_world_options &options = {})
    {
        apart_world *made = nullptr;
        check(apart_world_create(&options, &made));
        world_.reset(made);
    }

    apart_world *get() noexcept { return world_.get(); }
    const apart_world *get() const noexcept { return world_.get(); }
    std::size_t size() const noexcept { return apart_world_count(world_.get()); }

    apart_body_id add(const apart_body_def &def, apart_status &status) noexcept
    {
        apart_body_id id = {};
        status = apart_world_add(world_.get(), &def, &id);
        return id;
    }
    apart_body_id add(const apart_body_def &def)
    {
        apart_status status;
        const apart_body_id id = add(def, status);
        check(status);
        return id;
    }
    void remove(apart_body_id id, apart_status &status) noexcept { status = apart_world_remove(world_.get(), id); }
    void remove(apart_body_id id) { check(apart_world_remove(world_.get(), id)); }
    void move(apart_body_id id, const apart_pose &pose, apart_status &status) noexcept
    {
        status = apart_world_move(world_.get(), id, &pose);
    }
    void move(apart_body_id id, const apart_pose &pose) { check(apart_world_move(world_.get(), id, &pose)); }
    apart_body_def operator[](apart_body_id id) const
    {
        apart_body_def def = {};
        check(apart_world_get(world_.get(), id, &def));
        return def;
    }

    /** As apart_world_below. */
    std::vector<apart_world_pair> below(double limit, apart_status &status)
    {
        std::vector<apart_world_pair> pairs(room_);
        apart_world_list list = {};
        for (bool again = true; again;) {
            list.pairs = pairs.data();
            list.capacity = pairs.size();
            status = apart_world_below(world_.get(), limit, &list);
            again = status == APART_OK && (list.total > list.count || !list.complete);
            if (again) {
                pairs.resize(list.complete ? list.total : 2 * pairs.size());
            }
        }
        room_ = pairs.size();
        pairs.resize(status == APART_OK ? list.count : 0);
        return pairs;
    }
    std::vector<apart_world_pair> below(double limit)
    {
        apart_status status;
        std::vector<apart_world_pair> pairs = below(limit, status);
        check(status);
        return pairs;
    }

    /** As apart_world_contacts. */
    std::vector<apart_world_contact> contacts(double margin, apart_status &status)
    {
        std::vector<apart_world_contact> found;
        apart_contact_options options = {};
        apart_world_contact_list list = {};
        options.margin = margin;
        do {
            found.resize(list.total > 16 ? list.total : 16);
            list.contacts = found.data();
            list.capacity = found.size();
            status = apart_world_contacts(world_.get(), &options, &list);
        } while (status == APART_OK && list.total > list.count);
        found.resize(status == APART_OK ? list.count : 0);
        return found;
    }
    std::vector<apart_world_contact> contacts(double margin)
    {
        apart_status status;
        std::vector<apart_world_contact> found = contacts(margin, status);
        check(status);
        return found;
    }

    /** As apart_world_cast: the first body in the way. */
    apart_world_cast_hit cast(const apart_probe &subject, apart_vec3 way, apart_status &status,
                              const apart_motion_options *options = nullptr) const noexcept
    {
        apart_world_cast_hit hit = {};
        status = apart_world_cast(world_.get(), &subject, way, options, &hit);
        return hit;
    }
    apart_world_cast_hit cast(const apart_probe &subject, apart_vec3 way,
                              const apart_motion_options *options = nullptr) const
    {
        apart_status status;
        const apart_world_cast_hit hit = cast(subject, way, status, options);
        check(status);
        return hit;
    }
    /** As apart_world_cast_visit: visit(const apart_world_cast_hit &) returns up to where hits still matter. */
    template <class F, class = std::enable_if_t<std::is_invocable_v<F &, const apart_world_cast_hit &>>>
    void cast(const apart_probe &subject, apart_vec3 way, F &&visit) const
    {
        detail::call<F> call = {visit, nullptr};
        const apart_status status = apart_world_cast_visit(
            world_.get(), &subject, way, nullptr,
            [](void *context, const apart_world_cast_hit *hit) {
                return (*static_cast<detail::call<F> *>(context))(-1.0, *hit);
            },
            &call);
        call.rethrow();
        check(status);
    }

    /** As apart_world_raycast: the first body. */
    apart_world_ray_hit raycast(const apart_ray &ray, std::uint32_t ignores = 0) const
    {
        apart_world_ray_hit hit = {};
        check(apart_world_raycast(world_.get(), &ray, ignores, &hit));
        return hit;
    }
    /** As apart_world_raycast_visit: visit(const apart_world_ray_hit &) returns up to where hits still matter. */
    template <class F, class = std::enable_if_t<std::is_invocable_v<F &, const apart_world_ray_hit &>>>
    void raycast(const apart_ray &ray, F &&visit) const
    {
        detail::call<F> call = {visit, nullptr};
        const apart_status status = apart_world_raycast_visit(
            world_.get(), &ray, nullptr,
            [](void *context, const apart_world_ray_hit *hit) {
                return (*static_cast<detail::call<F> *>(context))(-1.0, *hit);
            },
            &call);
        call.rethrow();
        check(status);
    }

    /** As apart_world_overlap: visit(apart_body_id, user data, part) returns whether to go on. */
    template <class F> void overlap(const apart_probe &subject, F &&visit) const
    {
        detail::call<F> call = {visit, nullptr};
        const apart_status status = apart_world_overlap(
            world_.get(), &subject,
            [](void *context, apart_body_id id, std::uint64_t user, std::uint32_t part) {
                return (*static_cast<detail::call<F> *>(context))(0, id, user, part);
            },
            &call);
        call.rethrow();
        check(status);
    }

  private:
    detail::owned<apart_world, apart_world_free> world_;
    std::size_t room_ = 64;
};

} // namespace apart

#endif
